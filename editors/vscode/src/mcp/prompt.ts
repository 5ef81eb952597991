import type { MCPPrompt } from "../protocol.gen";

/** The slash command that runs a prompt with these arguments, each of them one word. */
export function promptCommand(prompt: Pick<MCPPrompt, "command" | "arguments">, given: Readonly<Record<string, string>>): string {
  const words = prompt.arguments.flatMap(({ name }) => {
    const value = given[name];
    return value === undefined ? [] : [`${name}=${quoted(value)}`];
  });
  return [`/${prompt.command}`, ...words].join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `"${text.replace(/["\\$`]/g, "\\$&")}"`;
}

/** The names of the variables of a template (RFC 6570), in order. */
export function templateVariables(template: string): string[] {
  return [...template.matchAll(/\{[+#./;?&]?([^}]+)\}/g)].flatMap(([, list]) => (list ?? "").split(",").map((name) => name.replace(/[:*].*$/, "")));
}

/** Puts a value in the place of a variable. */
export function withVariable(template: string, name: string, value: string): string {
  return template.replace(/\{([+#./;?&]?)([^}]+)\}/g, (whole, operator: string, list: string) => {
    const names = list.split(",").map((n) => n.replace(/[:*].*$/, ""));
    if (!names.includes(name) || names.length > 1) {
      return names.includes(name) ? whole.replace(name, () => encodeURIComponent(value)) : whole;
    }
    const text = operator === "+" || operator === "#" ? encodeURI(value) : encodeURIComponent(value);
    switch (operator) {
      case "?":
        return `?${name}=${text}`;
      case "&":
        return `&${name}=${text}`;
      case "":
      case "+":
        return text;
      default:
        return operator + text;
    }
  });
}
