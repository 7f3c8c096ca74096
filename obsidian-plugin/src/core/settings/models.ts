import type { ListedModel, VaultStatus } from "../../protocol/operations";

/** What to type in a terminal for a model that is not here. */
export function installCommand({ id }: Pick<ListedModel, "id">): string {
	return `vaultside models install ${id}`;
}

/** Say what there is to know of a model before choosing it. */
export function facts({ languages, license, size_mb: size, installed }: ListedModel): string {
	const file = size === null ? [] : [`${size.toLocaleString(undefined, { maximumFractionDigits: 0 })} MB`];
	return [languages, ...file, license, ...(installed ? [] : ["not installed"])].join(" · ");
}

/** Say how far search by meaning is with the model in use. */
export function progressOf({
	model,
	model_known,
	model_setup,
	passages,
	pending,
	paused,
}: Pick<VaultStatus, "model" | "model_known" | "model_setup" | "passages" | "pending" | "paused">): string {
	if (model_setup) return `${model_setup.message} ${model_setup.hint}`;
	if (model === null && model_known === false) return "The bridge is looking for a model.";
	if (model === null) return "The model is not installed, so search is by words only.";
	const left = pending.vectors;
	if (left === 0) return "Every passage can be found by meaning.";
	const share = passages === 0 ? 0 : Math.floor((100 * Math.max(0, passages - left)) / passages);
	const rest = model.answering === null ? "search is by words until then" : "the model before answers until then";
	return `${Math.min(share, 99)} % of the passages are embedded; ${rest}.${paused ? " Embedding is paused." : ""}`;
}
