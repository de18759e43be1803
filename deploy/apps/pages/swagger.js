import SwaggerUIBundle from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

const spec = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1.0.0", description: "An interface to try out." },
  servers: [{ url: "/api" }],
  paths: {
    "/pets/{id}": {
      get: {
        summary: "Returns one pet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        responses: { 200: { description: "The pet" } },
      },
    },
    "/pets": {
      post: {
        summary: "Adds a pet",
        requestBody: {
          content: { "application/json": { schema: { type: "object", properties: { name: { type: "string" } } }, example: { name: "Rex" } } },
        },
        responses: { 201: { description: "Added" } },
      },
    },
  },
};
const requests = [];
document.body.insertAdjacentHTML("afterbegin", '<div id="swagger"></div>');
SwaggerUIBundle({
  spec,
  domNode: document.getElementById("swagger"),
  responseInterceptor: (response) => {
    requests.push({ url: new URL(response.url, location).pathname, status: response.status, answer: response.text });
    return response;
  },
});
window.model = () => requests;
