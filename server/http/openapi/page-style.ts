/** The look of the reader page; the only style its policy lets in. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--soft:#f4f6f9;--line:#dce1e8;--text:#1b1f27;--faint:#566070;--link:#1d4ed8}
@media(prefers-color-scheme:dark){:root{--bg:#14171c;--soft:#1d2128;--line:#333a45;--text:#e7eaef;--faint:#a3adbb;--link:#8fb7ff}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;font:15px/1.55 Inter,system-ui,sans-serif;background:var(--bg);color:var(--text);display:grid;grid-template-columns:minmax(0,1fr)}
a{color:var(--link)}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem}
nav{padding:1rem 1.25rem;border-bottom:1px solid var(--line);background:var(--soft)}
nav ul{list-style:none;margin:0 0 .75rem;padding:0}
nav li{display:inline-block;margin:0 .9rem .2rem 0}
nav li li{display:none}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
nav p{margin:.5rem 0 .25rem;font-weight:600}
main{padding:1.5rem 1.25rem 4rem;min-width:0}
h1{font-size:1.6rem;margin:0 0 .5rem}
h2{font-size:1.35rem;margin:2.5rem 0 .5rem;padding-top:1rem;border-top:2px solid var(--line)}
h3{font-size:1.15rem;margin:2rem 0 .5rem}
h4{font-size:1rem;margin:0 0 .25rem}
h4 a{color:inherit;text-decoration:none}
h4 a:hover{text-decoration:underline}
h5,h6{font-size:.85rem;margin:1rem 0 .25rem;color:var(--faint)}
h6{color:var(--text)}
article{border:1px solid var(--line);border-radius:12px;padding:1rem 1.25rem;margin:0 0 1rem}
article:target{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
pre{background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:.75rem;margin:0;white-space:pre-wrap}
.copy{user-select:all}
.route{margin:0 0 .25rem}
.method{font-weight:700;margin-right:.5rem}
.faint,.bounds{color:var(--faint)}
.faint{margin:0}
.fields{list-style:none;margin:0;padding:0}
.fields .fields{margin:.25rem 0;padding-left:.9rem;border-left:2px solid var(--line)}
.fields li{margin-top:.4rem}
li:target{background:var(--soft);outline:2px solid var(--link);outline-offset:4px;border-radius:4px}
.fields b,.fields b code{font-weight:600}
.sides>*{min-width:0}
@media(min-width:60rem){
body{grid-template-columns:16rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;border-bottom:0;border-right:1px solid var(--line)}
nav li,nav li li{display:block;margin:.15rem 0}
nav ul ul{margin:0 0 .4rem;padding-left:.9rem;font-size:.9rem}
main{padding:2rem 2.5rem 6rem;max-width:80rem}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:1.5rem}
}`;
