// The page for an address where there is none. It is shown at any depth: the site begins in the nearest folder above that has
// its icon.

const folders = [...location.pathname.matchAll(/\//g)].map(({ index }) => location.pathname.slice(0, index + 1));

/** @param {string} folder @returns {Promise<boolean>} */
const hasIcon = (folder) =>
  new Promise((done) => {
    Object.assign(new Image(), { onload: () => done(true), onerror: () => done(false), src: `${folder}icon.svg` });
  });

async function siteAbove() {
  for (const folder of folders.reverse()) if (await hasIcon(folder)) return folder;
  return "/";
}

/** Show the language that the address is of, or else that of the reader. @param {string} root */
function choose(root) {
  const sections = [...document.querySelectorAll("section")], [first] = location.pathname.slice(root.length).split("/");
  const wanted = [first, ...navigator.languages.map((tag) => tag.split("-")[0])];
  const language = wanted.find((code) => sections.some(({ lang }) => lang === code)) ?? "en";
  document.documentElement.lang = language;
  for (const section of sections) section.hidden = section.lang !== language;
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-to]"))) {
    link.href = root + link.dataset.to;
  }
}

const known = document.body.dataset.root;
if (known) choose(known);
else siteAbove().then(choose);
