import { foldedName } from '../../../../docset/portable-name.ts';

/**
 * Files by whose name people keep keys in repositories, mostly by mistake. A model's endpoint may be anybody's,
 * and no page of docs is called like that: `secrets.md` and `.env.example` are none of them.
 */
const secretNames =
  /^(?:\.env(?:\..+)?|\.envrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.netrc|_netrc|\.git-credentials|\.gitconfig|\.pgpass|\.htpasswd|\.dockercfg|\.vault-token|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)|(?:credentials?|secrets?|service-?account[\w.-]*)\.(?:json|ya?ml|toml|ini)|terraform\.tfstate(?:\..*)?)$/;
const templates = /\.(?:example|sample|template|dist|defaults?)$/;
const secretFolders = new Set(['.ssh', '.aws', '.gnupg', '.azure', '.kube', '.docker', '.gcloud']);

/** @param path relative to the workspace, with `/`, spelled as on disk */
export function isSecretFile(path: string): boolean {
  const parts = path.split('/').map(foldedName);
  const name = parts.at(-1) ?? '';
  if (parts.slice(0, -1).some((part) => secretFolders.has(part))) return true;
  return secretNames.test(name) && !templates.test(name);
}
