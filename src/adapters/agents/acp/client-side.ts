import { client, type ClientApp, methods, RequestError } from '@agentclientprotocol/sdk';
import {
  type AgentPlace,
  FileRefusal,
  linesOf,
  placeOf,
  readForAgent,
  writeForAgent,
} from './agent-files.ts';
import { answerPermission } from './permissions.ts';
import type { SessionRecord } from './session-record.ts';

export interface ClientSide {
  readonly place: AgentPlace;
  readonly record: SessionRecord;
  /** Hears what was refused, in the agent's own words, like {@link onProgress}. */
  readonly onRefusal: (what: string) => void;
  readonly onProgress: (message: string) => void;
}

/** Of a tool's name, so that the reason of a refusal is told with it. */
const longestTitle = 100;

/** What an agent may ask of the service: files of the workspace and permissions, nothing else. */
export function clientSide({ place, record, onRefusal, onProgress }: ClientSide): ClientApp {
  const refuse = (error: unknown): never => {
    if (!(error instanceof FileRefusal)) throw error;
    onRefusal(error.message);
    throw RequestError.invalidParams({ details: error.message }, error.message);
  };
  const nameOf = (file: string): string => placeOf(file, place) ?? file;
  return client({ name: 'docs-agent' })
    .onNotification(methods.client.session.update, ({ params }) => record.take(params))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      if (signal.aborted) return { outcome: { outcome: 'cancelled' } };
      const answer = answerPermission(params, place, record.callOf(params.toolCall.toolCallId));
      const title = (params.toolCall.title ?? 'A tool').slice(0, longestTitle);
      if (answer.allowed) onProgress(title);
      else onRefusal(`${title}: ${answer.reason}`);
      return answer.optionId === undefined
        ? { outcome: { outcome: 'cancelled' } }
        : { outcome: { outcome: 'selected', optionId: answer.optionId } };
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
      const text = await readForAgent(params.path, place).catch(refuse);
      if (text === undefined) throw RequestError.resourceNotFound(params.path);
      onProgress(`Read ${nameOf(params.path)}`);
      return { content: linesOf(text, params.line, params.limit) };
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
      await writeForAgent(params.path, params.content, place).catch(refuse);
      onProgress(`Wrote ${nameOf(params.path)}`);
      return {};
    });
}
