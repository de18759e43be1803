import { AllCommunityModule, createGrid, ModuleRegistry } from "ag-grid-community";

ModuleRegistry.registerModules([AllCommunityModule]);
document.body.insertAdjacentHTML("afterbegin", '<h1>Stock</h1><div id="grid" style="height: 360px; width: 640px"></div>');
const rows = ["Oak stool", "Pine shelf", "Walnut desk", "Beech chair"].map((product, at) => ({
  product, price: [89, 120, 640, 75][at], sold: false,
}));
const grid = createGrid(document.getElementById("grid"), {
  rowData: rows,
  columnDefs: [
    { field: "product", filter: true, editable: true },
    { field: "price", editable: true, cellDataType: "number" },
    { field: "sold", editable: true },
  ],
  rowSelection: { mode: "multiRow" },
});
window.model = () => {
  const shown = [];
  grid.forEachNodeAfterFilterAndSort((node) => shown.push(node.data));
  return { rows: shown, selected: grid.getSelectedRows().map((row) => row.product) };
};
