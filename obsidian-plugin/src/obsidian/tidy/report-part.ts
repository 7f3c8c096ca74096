import { explainRefusal, type Refusal } from "../../client/client";
import { addStatusLine, showText } from "../lines";
import { Fold } from "../related/fold";
import { Rows } from "../rows";

/** How many rows are listed at first, and how many more each time. */
export const PAGE = 20;
/** How many rows the bridge lists at most, unless a report says so itself. */
const MAX_ROWS = 500;

/** What every report says besides its rows. */
interface Said {
	readonly total: number;
	readonly notices?: readonly string[];
	readonly dismissed?: number | null;
}

/** What the bridge answers. */
export type Answer<Result> = { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly error: Refusal<string> };

/** A report and how its rows are shown. */
export interface Report<Row, Result extends Said> {
	readonly name: string;
	/** How many rows the bridge lists at most, if not as many as of other reports. */
	readonly most?: number;
	readonly fetch: (limit: number) => Promise<Answer<Result>>;
	readonly rows: (result: Result) => readonly Row[];
	/** Render one row; `refresh` loads the list again. */
	readonly show: (list: HTMLElement, row: Row, refresh: () => void) => void;
}

/** A report, of which the number of rows is shown at once; it is made again when something in it was settled. */
export class ReportPart<Row, Result extends Said> {
	readonly #fold: Fold;
	readonly #says: HTMLElement;
	readonly #list: HTMLElement;
	readonly #more: HTMLButtonElement;
	#limit = PAGE;
	#round = 0;
	readonly #rows = new Rows();

	constructor(
		el: HTMLElement,
		unfolded: Set<string>,
		private readonly report: Report<Row, Result>,
	) {
		this.#fold = new Fold(el, report.name, unfolded);
		this.#says = addStatusLine(this.#fold.body, "vaultside-small");
		this.#list = this.#fold.body.createDiv({ attr: { role: "list", "aria-label": report.name } });
		this.#more = this.#fold.body.createEl("button", { text: "Show more" });
		this.#more.toggle(false);
		this.#more.addEventListener("click", () => {
			this.#limit = Math.min(this.#limit + PAGE, this.report.most ?? MAX_ROWS);
			void this.load();
		});
	}

	/** Want nothing any more. */
	stop(): void {
		this.#round += 1;
	}

	/** Make the report. */
	async load(): Promise<void> {
		const round = (this.#round += 1);
		this.#fold.body.setAttr("aria-busy", "true");
		if (!this.#list.hasChildNodes()) this.#says.setText("Looking…");
		const answer = await this.report.fetch(this.#limit);
		if (round !== this.#round) return;
		this.#fold.body.setAttr("aria-busy", "false");
		this.#says.toggleClass("mod-warning", !answer.ok);
		if (!answer.ok) {
			showText(this.#says, explainRefusal(answer.error));
			return;
		}
		const { total, notices = [], dismissed } = answer.result;
		const rows = this.report.rows(answer.result);
		this.#rows.redraw(this.#list, () => {
			this.#list.empty();
			for (const row of rows) this.report.show(this.#list, row, () => void this.load());
		});
		const left = dismissed != null && dismissed > 0 ? [`${dismissed.toLocaleString()} left out, as you or an agent said.`] : [];
		this.#fold.count(total === 0 && left.length === 0 ? null : total);
		this.#more.toggle(rows.length < Math.min(total, this.report.most ?? MAX_ROWS));
		showText(this.#says, [...notices, ...left].join(" "));
	}
}
