/** One field of a form that an MCP server asks for. */
export interface Field {
  name: string;
  label: string;
  description?: string;
  required: boolean;
  type: "string" | "number" | "integer" | "boolean" | "array";
  choices?: { value: unknown; name: string }[];
  /** Several of the choices may be taken. */
  several: boolean;
  fallback?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
}

type Schema = Record<string, unknown>;

/** The fields of a form, required ones first, else in the order of the schema. What is no field is left out. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = asSchema(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(asSchema(properties)).map(([name, property]) => fieldOf(name, asSchema(property), needed.has(name)));
  return [...fields.filter((f) => f.required), ...fields.filter((f) => !f.required)];
}

function fieldOf(name: string, s: Schema, required: boolean): Field {
  const types = ["string", "number", "integer", "boolean", "array"] as const;
  const type = types.find((t) => t === s["type"]) ?? "string";
  const field: Field = { name, label: typeof s["title"] === "string" ? s["title"] : name, required, type, several: type === "array" };
  const choices = type === "boolean" ? [{ value: true, name: "true" }, { value: false, name: "false" }] : choicesOf(type === "array" ? asSchema(s["items"]) : s);
  if (choices.length > 0) {
    field.choices = choices;
  }
  if (typeof s["description"] === "string") {
    field.description = s["description"];
  }
  if (s["default"] !== undefined) {
    field.fallback = s["default"];
  }
  for (const key of ["minimum", "maximum", "minLength", "maxLength"] as const) {
    const value = s[key];
    if (typeof value === "number") {
      field[key] = value;
    }
  }
  if (typeof s["format"] === "string") {
    field.format = s["format"];
  }
  return field;
}

/** The values to choose from, in all the ways that servers write them. */
function choicesOf(s: Schema): { value: unknown; name: string }[] {
  const titled = s["oneOf"] ?? s["anyOf"];
  if (Array.isArray(titled)) {
    return titled.map(asSchema).filter((c) => c["const"] !== undefined).map((c) => ({ value: c["const"], name: String(c["title"] ?? c["const"]) }));
  }
  if (Array.isArray(s["enum"])) {
    const names = Array.isArray(s["enumNames"]) ? s["enumNames"] : [];
    return s["enum"].map((value: unknown, i) => ({ value, name: String(names[i] ?? value) }));
  }
  return [];
}

const formats: Record<string, RegExp> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  "date-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/,
};

export type Parsed = { ok: true; value: unknown } | { ok: false; problem: "number" | "whole" | "low" | "high" | "short" | "long" | "format"; limit?: string };

/** Reads what was typed for a field. Lengths count characters, not code units. */
export function parseField(field: Field, text: string): Parsed {
  if (field.type === "number" || field.type === "integer") {
    const value = text.trim() === "" ? NaN : Number(text);
    if (!Number.isFinite(value)) {
      return { ok: false, problem: "number" };
    }
    if (field.type === "integer" && !Number.isInteger(value)) {
      return { ok: false, problem: "whole" };
    }
    if (field.minimum !== undefined && value < field.minimum) {
      return { ok: false, problem: "low", limit: String(field.minimum) };
    }
    if (field.maximum !== undefined && value > field.maximum) {
      return { ok: false, problem: "high", limit: String(field.maximum) };
    }
    return { ok: true, value };
  }
  const { length } = [...text];
  if (field.minLength !== undefined && length < field.minLength) {
    return { ok: false, problem: "short", limit: String(field.minLength) };
  }
  if (field.maxLength !== undefined && length > field.maxLength) {
    return { ok: false, problem: "long", limit: String(field.maxLength) };
  }
  if (field.format !== undefined && formats[field.format]?.test(text) === false) {
    return { ok: false, problem: "format", limit: field.format };
  }
  return { ok: true, value: text };
}

function asSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
