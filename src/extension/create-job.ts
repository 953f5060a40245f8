import * as vscode from 'vscode';
import { rulesAgentId } from '../contract/agents.ts';
import { chosenAgent } from './agent-settings.ts';
import type { CheckConsent } from './check-consent.ts';
import type { JobTarget, JobTargets, TargetAnswer } from './job-target.ts';
import { viewIds } from './command-table.ts';
import { askInOrder, type Step } from './multi-step.ts';
import type { PromptDocuments } from './prompt-documents.ts';
import { promptTroubleText, type PromptInput } from './prompt-input.ts';
import { promptFromDocument } from './prompt-text.ts';
import type { JobSender } from './send-job.ts';
import { confirmUnseen, findUnseenWork, unseenSentence } from './unseen-notice.ts';
import { UserError } from './user-error.ts';

/** What a flow begins with. */
export interface Beginning {
  readonly text?: string;
  readonly cursor?: number;
  /** A place inside the wanted project. */
  readonly near?: vscode.Uri;
}

interface Answer extends TargetAnswer {
  readonly target?: JobTarget;
  readonly prompt?: string;
  /** The writer has read, above their prompt, what the job will not see. */
  readonly wasTold?: boolean;
}

/** From a sentence to a job: by the input box, or by an editor tab. */
export class CreateJobFlow {
  readonly #targets: JobTargets;
  readonly #input: PromptInput;
  readonly #documents: PromptDocuments;
  readonly #sender: JobSender;
  readonly #consent: CheckConsent;
  /** Prompt documents on their way: pressing the keys again must not make a second job. */
  readonly #onTheWay = new Set<vscode.TextDocument>();

  constructor(
    targets: JobTargets,
    input: PromptInput,
    documents: PromptDocuments,
    sender: JobSender,
    consent: CheckConsent,
  ) {
    this.#targets = targets;
    this.#input = input;
    this.#documents = documents;
    this.#sender = sender;
    this.#consent = consent;
  }

  /** Asks what is not known yet, the prompt last, and sends it. */
  async askAndSend(beginning: Beginning): Promise<void> {
    const title = vscode.l10n.t('Create Job');
    const { start, steps } = await this.#targets.questions(beginning.near);
    const { drafts } = this.#input;
    const text = beginning.text ?? drafts.find();
    const earlier = beginning.text === undefined ? '' : drafts.find();
    const draft = { text, cursor: beginning.cursor };
    const answer = await askInOrder<Answer>(title, [...steps, this.#promptStep(draft)], start);
    if (answer?.target === undefined || answer.prompt === undefined) return;
    const { target, prompt, wasTold } = answer;
    const send = async (): Promise<boolean> => {
      if (wasTold !== true && !(await this.#goesOn(title, target))) return false;
      await this.#send(target, prompt);
      return true;
    };
    await drafts.keepUntilSent(prompt, send, { earlier });
  }

  /** Sends the prompt that is open in the editor. Its tab stays until the job is there. */
  async sendDocument(): Promise<void> {
    const title = vscode.l10n.t('Create Job');
    const { document, folder } = this.#documents.active();
    if (this.#onTheWay.has(document)) return;
    this.#onTheWay.add(document);
    try {
      await this.#sendDocument(title, document, folder);
    } finally {
      this.#onTheWay.delete(document);
    }
  }

  async #sendDocument(
    title: string,
    document: vscode.TextDocument,
    folder: vscode.Uri | undefined,
  ): Promise<void> {
    const text = document.getText();
    const prompt = promptFromDocument(text);
    const trouble = promptTroubleText(prompt);
    if (trouble !== undefined) throw new UserError('invalid_prompt', trouble);
    const { start, steps } = await this.#targets.questions(folder);
    const answer = await askInOrder<Answer>(title, steps, start);
    const target = answer === undefined ? undefined : await this.#targets.resolve(answer);
    if (target === undefined || !(await this.#goesOn(title, target))) return;
    await this.#send(target, prompt);
    // What was written meanwhile is not in the job, so its tab stays.
    if (document.getText() === text) await this.#documents.close(document);
  }

  #promptStep(draft: { text: string; cursor: number | undefined }): Step<Answer> {
    return async (answer, place) => {
      // Before the prompt is asked for: what makes a job impossible is told first.
      const target = await this.#targets.resolve(answer);
      if (target === undefined) return { kind: 'cancelled' };
      let wasTold = false;
      const notice = findUnseenWork(target).then((work) => {
        wasTold = true;
        return work === undefined ? undefined : unseenSentence(work);
      });
      const result = await this.#input.ask(place, {
        ...draft,
        agent: () => (target.service.kind === 'local' ? (chosenAgent() ?? rulesAgentId) : undefined),
        mayChoose: target.service.kind === 'local',
        prompt: vscode.l10n.t('What should change in “{0}”?', target.project.folder.name),
        notice,
        toEditor: async (text) => this.#documents.open(text, text.length, target.project.folder.uri),
      });
      if (result.kind !== 'done') return result;
      return { kind: 'done', value: { ...answer, target, prompt: result.value.trim(), wasTold } };
    };
  }

  /** For writers who have not been told yet: pressing Enter at once can be quicker than git. */
  async #goesOn(title: string, target: JobTarget): Promise<boolean> {
    const work = await findUnseenWork(target);
    return work === undefined || confirmUnseen(title, work);
  }

  async #send(target: JobTarget, prompt: string): Promise<void> {
    const isLocal = target.service.kind === 'local';
    const check = isLocal ? await this.#consent.allowedCommand(target.project.uri) : undefined;
    await vscode.window.withProgress({ location: { viewId: viewIds.jobs } }, async () =>
      this.#sender.create(target, prompt, check),
    );
  }
}
