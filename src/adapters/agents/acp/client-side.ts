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
import { phrase, type SessionRecord } from './session-record.ts';

export interface ClientSide {
  readonly place: AgentPlace;
  readonly record: SessionRecord;
  /** Hears what was refused, as a phrase. */
  readonly onRefusal: (what: string) => void;
  readonly onProgress: (message: string) => void;
}

/** What an agent may ask of the service: files of the workspace and permissions, nothing else. */
export function clientSide({ place, record, onRefusal, onProgress }: ClientSide): ClientApp {
  const refuse = (error: unknown): never => {
    if (!(error instanceof FileRefusal)) throw error;
    onRefusal(phrase(error.message));
    throw RequestError.invalidParams({ details: error.message }, error.message);
  };
  const nameOf = (file: string): string => placeOf(file, place) ?? file;
  return client({ name: 'docs-agent' })
    .onNotification(methods.client.session.update, ({ params }) => record.take(params))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      if (signal.aborted) return { outcome: { outcome: 'cancelled' } };
      const answer = answerPermission(params, place, record.callOf(params.toolCall.toolCallId));
      const title = phrase(params.toolCall.title ?? 'A tool');
      if (answer.allowed) onProgress(title);
      else onRefusal(`${title}: ${answer.reason}`);
      return answer.optionId === undefined
        ? { outcome: { outcome: 'cancelled' } }
        : { outcome: { outcome: 'selected', optionId: answer.optionId } };
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
      const text = await readForAgent(params.path, place).catch(refuse);
      if (text === undefined) throw RequestError.resourceNotFound(params.path);
      onProgress(phrase(`Read ${nameOf(params.path)}`));
      return { content: linesOf(text, params.line, params.limit) };
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
      await writeForAgent(params.path, params.content, place).catch(refuse);
      onProgress(phrase(`Wrote ${nameOf(params.path)}`));
      return {};
    });
}
