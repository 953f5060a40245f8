import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  addressFileName,
  addressFileSchema,
  homeVariable,
  isProof,
  serviceFolders,
  type AddressFile,
} from '../../../src/contract/local-service.ts';
import { healthSchema } from '../../../src/contract/requests.ts';
import { routes } from '../../../src/contract/routes.ts';
import { signalProcess } from './owned-process.ts';

/** Time to give running jobs back and close the database, before it is killed. */
const graceMs = 5000;
/** A service that is busy answers late; one that is gone refuses at once. */
const answerMs = 30_000;

/** The local service outlives the windows that started it, on purpose; whoever ran a test ends it. */
export async function stopLocalService(home: string): Promise<void> {
  const address = await readAddress(home);
  if (address === undefined || !(await isOurs(address))) return;
  signalProcess(address.pid, 'SIGTERM');
  if (await hasGone(address.pid, graceMs)) return;
  signalProcess(address.pid, 'SIGKILL');
  await hasGone(address.pid, answerMs);
}

/**
 * The same for a process that is about to exit and cannot wait: only for a home that this process made, whose
 * address file therefore names no process of others.
 */
export function killLocalService(home: string): void {
  try {
    const address = addressFileSchema.parse(JSON.parse(readFileSync(addressFile(home), 'utf8')));
    signalProcess(address.pid, 'SIGTERM');
  } catch {
    // None has run, or it ended properly.
  }
}

/** The address file of the local service below `home`; undefined when none has run or it ended properly. */
export async function readAddress(home: string): Promise<AddressFile | undefined> {
  try {
    return addressFileSchema.parse(JSON.parse(await readFile(addressFile(home), 'utf8')));
  } catch {
    return undefined;
  }
}

function addressFile(home: string): string {
  const { data } = serviceFolders(process.platform, { [homeVariable]: home }, os.homedir());
  return path.join(data, addressFileName);
}

/** A stale file may name a process id that somebody else has by now. */
async function isOurs(address: AddressFile): Promise<boolean> {
  const challenge = randomBytes(16).toString('hex');
  try {
    const url = `${address.url}${routes.health()}?challenge=${challenge}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMs) });
    return isProof(address.secret, challenge, healthSchema.parse(await response.json()).proof);
  } catch {
    return false;
  }
}

/** There is no event for the end of a process that is not a child, so it is looked at. */
async function hasGone(pid: number, limitMs: number): Promise<boolean> {
  for (const end = Date.now() + limitMs; Date.now() < end; await delay(50)) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
  }
  return false;
}
