import { sessionCommands, sessionMentions } from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import type { Proposal } from "./messages";

/** How many proposals the page shows. */
const most = 30;

/** Asks the server what a word in the prompt could become. A server that cannot say has no proposals. */
export async function proposals(server: Server, sessionId: string, trigger: "/" | "@", query: string): Promise<Proposal[]> {
  try {
    if (trigger === "/") {
      const { commands } = await server.request(sessionCommands, { sessionId });
      const wanted = query.toLowerCase();
      return commands
        .filter((command) => command.name.toLowerCase().includes(wanted))
        .slice(0, most)
        .map((command) => ({ kind: "command", command }));
    }
    const { mentions } = await server.request(sessionMentions, { sessionId, query, limit: most });
    return mentions.map((mention) => ({ kind: "mention", mention }));
  } catch (err) {
    server.log.debug(`completing ${trigger}: ${messageOf(err)}`);
    return [];
  }
}
