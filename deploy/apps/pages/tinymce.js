import tinymce from "tinymce/tinymce";
import "tinymce/models/dom/model";
import "tinymce/themes/silver/theme";
import "tinymce/icons/default/icons";
import "tinymce/skins/ui/oxide/skin.js";
import "tinymce/skins/ui/oxide/content.js";
import "tinymce/skins/content/default/content.js";
import "tinymce/plugins/lists/plugin";
import { editorPage, oldHtml } from "./lib/editor-page.js";

const { place, publish } = editorPage("TinyMCE");
const area = document.createElement("textarea");
area.id = "article";
area.value = oldHtml;
place.append(area);
tinymce.init({
  target: area,
  license_key: "gpl",
  plugins: "lists",
  toolbar: "undo redo | bold italic | bullist",
  skin_url: "default",
  content_css: "default",
}).then(([editor]) => publish(() => editor.getContent({ format: "text" }).replace(/\n\n/g, "\n")));
