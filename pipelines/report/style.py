"""The style of the report: one column, light and dark, from a telephone's width to a desk's."""

STYLE = """
:root{
 color-scheme:light dark;
 --ground:#fff;--ink:#1c2127;--soft:#5b6570;--line:#dfe3e8;--card:#f6f8fa;--keep:#2f7d5b;--drop:#c2573c;--max:#3a6ea5}
@media(prefers-color-scheme:dark){:root{
 --ground:#14171b;--ink:#e4e8ec;--soft:#97a1ab;--line:#2c333b;--card:#1b2026;--keep:#5cb98c;--drop:#e0805f;--max:#79aee6}}
*{box-sizing:border-box}
body{
 font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:76rem;padding:1.5rem 1rem 4rem;
 color:var(--ink);background:var(--ground)}
h1{font-size:1.5rem;margin:0 0 .3rem}
h2{font-size:1.2rem;margin:2.2rem 0 .5rem;padding-top:.8rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
p{margin:.4rem 0;max-width:60rem}
small,.soft{color:var(--soft)}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem}
nav a{color:inherit}
code,.id{font:12px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}
.tiles div{background:var(--card);padding:.5rem .9rem;border-radius:.4rem}
.tiles b{display:block;font-size:1.25rem;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}
.wide small,th{white-space:nowrap}
table{border-collapse:collapse;width:100%}
td,th{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bar{display:flex;min-width:8rem;height:.75rem;margin-top:.35rem;background:var(--card)}
.bar i{background:var(--keep)}
.bar b{background:var(--drop)}
details{margin:.25rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
.rules{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,23rem),1fr));gap:.8rem;align-items:start}
.rule{background:var(--card);border-radius:.4rem;padding:.7rem .8rem;min-width:0}
.rule:has(details[open]){grid-column:1/-1}
.rule p{font-size:.87rem;margin:.2rem 0}
svg.curve{width:100%;max-width:26rem;height:auto;display:block;margin:.3rem 0}
svg text{fill:var(--soft);font:10px system-ui,sans-serif}
.grid{stroke:var(--line)}
.line{fill:none;stroke-width:1.6}
.limit{stroke-width:1;stroke-dasharray:3 3}
.line.min,.limit.min{stroke:var(--keep)}
.line.max,.limit.max{stroke:var(--max)}
.dot.min{fill:var(--keep)}
.dot.max{fill:var(--max)}
.min-ink{color:var(--keep)}
.max-ink{color:var(--max)}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem}
.sides>div{min-width:0}
ol.samples{list-style:none;margin:.3rem 0;padding:0}
ol.samples li{border-left:3px solid var(--keep);padding:.1rem .6rem;margin:.4rem 0;overflow-wrap:anywhere}
ol.samples.out li{border-color:var(--drop)}
ol.samples li::after{content:"";display:block;clear:both}
ol.samples .id{color:var(--soft);display:block}
ol.samples img{float:right;margin:0 0 .2rem .6rem}
.doc blockquote{border-left:3px solid var(--line);margin:.5rem 0;padding:.1rem .8rem;white-space:pre-wrap;overflow-wrap:anywhere}
figure{margin:.6rem 0}
figcaption{color:var(--soft);font-size:.87rem;overflow-wrap:anywhere}
""".strip()
