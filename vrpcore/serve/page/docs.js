/** Swagger UI, which shows what this server describes; it asks no other host to check that. */

window.SwaggerUIBundle({
  dom_id: '#docs',
  url: 'openapi.json',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
});
