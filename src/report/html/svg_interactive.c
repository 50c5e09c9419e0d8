#include "report/html/svg_interactive.h"

#include <libxml/tree.h>

#include "base/buf.h"
#include "render/palette.h"
#include "render/scene.h"
#include "render/scene_dom.h"
#include "report/core/asset.h"
#include "report/html/html.h"

#define TITLE_HEIGHT 36.0

static void put_size(xmlNodePtr node, const char *name, double px)
{
	char text[JR_NUM_MAX];
	jr_num_double(text, px);
	jr_html_attribute(node, name, text);
}

static void put_style(xmlNodePtr root, const struct jr_scene *scene)
{
	struct jr_buf style = {0};
	jr_palette_css(&style);
	jr_asset_add(&style, "flame.css");
	/* "height: auto" fits a figure in a page; here it would fill the whole file. */
	jr_buf_printf(&style, ".jr-file > .jr-figure{height:%dpx}\n", (int)scene->height);
	jr_html_leaf(root, "style", NULL, style.data);
	jr_buf_done(&style);
}

static void put_picture(xmlNodePtr root, const struct jr_figure *figure, const char *id)
{
	xmlNodePtr ground = jr_html_element(root, "rect", "jr-ground");
	jr_html_attribute(ground, "width", "100%");
	jr_html_attribute(ground, "height", "100%");
	xmlNodePtr title = jr_html_leaf(root, "text", "jr-title", figure->title);
	jr_html_attribute(title, "x", "4");
	jr_html_attribute(title, "y", "24");
	xmlNodePtr picture = jr_scene_dom(figure->scene, root->doc, id, JR_POINTED_PX);
	if (!xmlAddChild(root, picture))
		jr_oom();
	put_size(picture, "y", TITLE_HEIGHT);
}

static void put_script(xmlNodePtr root, const struct jr_figure *figure, const char *id)
{
	xmlNodePtr data = jr_html_leaf(root, "script", "jr-flame-data", figure->interactive->data);
	jr_html_attribute(data, "type", "application/json");
	jr_html_attribute(data, "data-figure", id);
	struct jr_buf script = {0};
	jr_asset_add_flame(&script);
	jr_html_leaf(root, "script", NULL, script.data);
	jr_buf_done(&script);
}

static void serialize(xmlDocPtr doc, struct jr_buf *out)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	if (!buffer || xmlNodeDump(buffer, doc, xmlDocGetRootElement(doc), 0, 0) < 0)
		jr_oom();
	jr_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	jr_buf_add(out, xmlBufferContent(buffer), (size_t)xmlBufferLength(buffer));
	jr_buf_putc(out, '\n');
	xmlBufferFree(buffer);
}

void jr_svg_interactive(const struct jr_figure *figure, struct jr_buf *out)
{
	struct jr_buf id = {0}, box = {0};
	xmlDocPtr doc = xmlNewDoc((const xmlChar *)"1.0");
	xmlNodePtr root = doc ? xmlNewDocNode(doc, NULL, (const xmlChar *)"svg", NULL) : NULL;
	if (!root || !xmlNewNs(root, (const xmlChar *)"http://www.w3.org/2000/svg", NULL))
		jr_oom();
	xmlDocSetRootElement(doc, root);
	/* without it, libxml2 writes every non-ASCII character as a reference */
	doc->encoding = xmlStrdup((const xmlChar *)"UTF-8");
	double width = figure->scene->width, height = figure->scene->height + TITLE_HEIGHT;
	jr_buf_printf(&id, "fig-%s", figure->name);
	jr_buf_printf(&box, "0 0 %d %d", (int)width, (int)height);
	jr_html_attribute(root, "class", "jr-file");
	jr_html_attribute(root, "viewBox", box.data);
	put_size(root, "width", width);
	put_size(root, "height", height);
	jr_html_leaf(root, "title", NULL, figure->title);
	if (figure->caption)
		jr_html_leaf(root, "desc", NULL, figure->caption);
	put_style(root, figure->scene);
	put_picture(root, figure, id.data);
	put_script(root, figure, id.data);
	serialize(doc, out);
	xmlFreeDoc(doc);
	jr_buf_done(&id);
	jr_buf_done(&box);
}
