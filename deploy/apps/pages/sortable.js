import Sortable from "sortablejs";

document.body.insertAdjacentHTML("afterbegin", '<h1>Songs</h1><ul id="songs" style="padding: 0; width: 300px"></ul>');
const list = document.getElementById("songs");
for (const name of ["Autumn", "Bridge", "Canyon", "Desert"]) {
  const item = document.createElement("li");
  item.textContent = name;
  item.style.cssText = "border: 1px solid; padding: 12px; margin: 6px; list-style: none; cursor: grab";
  list.append(item);
}
let order = [...list.children].map((item) => item.textContent);
Sortable.create(list, { animation: 100, onEnd: () => { order = [...list.children].map((item) => item.textContent); } });
window.model = () => order;
