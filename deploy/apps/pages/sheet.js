import jspreadsheet from "jspreadsheet-ce";
import "jspreadsheet-ce/dist/jspreadsheet.css";
import "jsuites/dist/jsuites.css";

document.body.insertAdjacentHTML("afterbegin", '<h1>Budget</h1><div id="sheet"></div>');
const [sheet] = jspreadsheet(document.getElementById("sheet"), {
  worksheets: [{
    data: [["Rent", "900"], ["Food", "300"], ["Books", "40"]],
    columns: [{ type: "text", title: "Item", width: 160 }, { type: "numeric", title: "Amount", width: 100 }],
  }],
});
window.model = () => sheet.getData().map((row) => row.map(String));
