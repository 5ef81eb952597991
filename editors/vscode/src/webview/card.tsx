import type { Card } from "../chat/messages";
import { host } from "./host";

/** What a chat without a model offers. */
export function CardView({ card }: { card: Card }) {
  return (
    <div class="card" role="note">
      <p>{card.text}</p>
      <div class="buttons">
        {card.remedies.map(({ remedy, label }) => (
          <button key={remedy} type="button" class="secondary" data-remedy={remedy} onClick={() => host.post({ type: "remedy", remedy })}>
            {label}
          </button>
        ))}
      </div>
      <ul>
        {card.prompts.map((text) => (
          <li key={text}>
            <button type="button" class="prompt" onClick={() => host.post({ type: "send", text, blocks: [] })}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
