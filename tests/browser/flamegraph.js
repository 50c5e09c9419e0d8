/* Shared helpers for tests of flamegraphs in a page. */
class Flamegraph {
	constructor(page, id) {
		this.page = page;
		this.id = id;
		this.figure = page.locator(`figure:has(svg[id="${id}"])`);
		this.svg = page.locator(`svg[id="${id}"]`);
		this.input = this.figure.locator('input');
		this.detail = this.figure.locator('.jr-flame-detail');
	}
	/* Wait until the scripts are done. */
	async awake() {
		await this.svg.scrollIntoViewIfNeeded();
		await this.figure.locator('.jr-flame-bar').waitFor();
	}
}

module.exports = { Flamegraph };
