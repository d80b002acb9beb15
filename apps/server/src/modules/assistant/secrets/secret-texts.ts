import { trimmedEnd } from '../../../lib/trimmed.ts'
import words from '../assistant-words.json' with { type: 'json' }
import { BLANK, redactText } from '../redact.ts'
import { encodedTexts } from './encoded-texts.ts'
import { isHarmless, withoutNamedValues } from './named-values.ts'
import { looksRandom } from './random-text.ts'

/** Texts that are secrets by how they begin, wherever they stand: of the services that companies use beside ours. */
const FORMS = [
  // Ours: product secrets and access tokens of devices; API keys, JSON web tokens and PEM keys are in redact.ts.
  /\btw[pt]_[A-Za-z0-9_-]{8,}/g,
  // A password of our devices that is computed from their secret.
  /\bhmac(?:sha256|sha1|md5):\d{10,16}:[0-9a-f]{32,64}\b/gi,
  // Cloud and code hosts, payment, chat, models.
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bLTAI[A-Za-z0-9]{12,26}\b/g,
  /\bAKID[A-Za-z0-9]{20,40}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,40}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})/g,
  /\b(?:sk|rk|pk)[_-](?:live|test|proj|ant|or|svcacct)?[_-]?[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:hf|npm|dop_v1|shpat|SG)[_.][A-Za-z0-9_.-]{20,}/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{40,}/g,
]
/** Of the two groups the second goes: in addresses, behind the scheme of a header, behind options of command lines. */
const BEHIND = [
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,128}:)([^\s/@"']{1,256})(?=@)/gi,
  /(\bhttps:\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks|open\.feishu\.cn\/open-apis\/bot\/v2\/hook)\/)([^\s"'<>)]+)/gi,
  /([?&](?:access_token|token|sig|signature|api_?key|key|secret|password)=)([^\s&"'<>)]{6,})/gi,
  /(\b(?:Bearer|Basic)\s{1,8})([A-Za-z0-9+/._~=-]{12,})/g,
  /((?:^|\s)(?:-P|--password|--pass|--token|--secret|--pw)[ \t=]{1,8}["']?)([^\s"']+)/gm,
  /(\bauthorization\\?["']?\s{0,4}[:=,]\s{0,4}\\?["']?(?:Bearer|Basic|Token)\s{1,8})((?=[^\s"',;]*[\d._=-])[^\s"',;]{3,})/gi,
  // The last parameter of these is the password: Wi-Fi, MQTT and mobile data of common modules.
  /(\bAT\+(?:CWJAP|CWSAP)(?:_(?:CUR|DEF))?=\s{0,4}"[^"\n]{0,64}",\s{0,4}")([^"\n]+)/gi,
  /(\bAT\+(?:QMTCONN|MQTTCONN|QIACT|QICSGP|CSTT|CMQTTCONNECT)=[^\n]{0,200}?,\s{0,4}")([^",\n]+)(?="\s{0,4}(?:,\d+\s{0,4})*(?:$|[\r\n]))/gim,
  /(\bAT\+MQTTUSERCFG=\d,\d,"[^"\n]{0,256}","[^"\n]{0,256}",\s{0,4}")([^"\n]+)/gi,
  /(\bAT\+SMCONF=\s{0,4}"PASSWORD",\s{0,4}"?)([^"\n]+)/gi,
  /(\bsshpass\s{1,4}-p\s{0,4}["']?)([^\s"']+)/g,
  /(["'](?:--password|--pass|--token|--secret|-P)["'],\s{0,4}["'])([^"']+)/g,
  /((?:^|[\s;&])pass\s{0,4}=\s{0,4}["']?)([^\s"'&;]{3,})/gim,
  /(\b(?:WPA[23]?|WEP|WLAN|Wi-?Fi)[ _-]?(?:key|pass)\s{0,4}[:=]\s{0,4}["']?)([^\s"']{5,})/gi,
  /(\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ \t=]{1,8}["']?[^\s:"']{1,128}:)([^\s"']+)/g,
]

const { keys, is } = words.secrets
/** `password=…`, `"secret": "…"`, `密码是…` */
const NAMED = new RegExp(
  `(?<![A-Za-z0-9])(?<key>${keys})(?<between>\\\\?["'\`]?\\s{0,8}(?:${is})\\s{0,8}\\*{0,2}\\s{0,8})(?<value>\\\\?"(?:[^"\\\\\\n]|\\\\(?!"))+|'[^'\\n]+|\`[^\`\\n]+|[^\\s"'\`,;，；。、<>(){}\\[\\]]+)`,
  'giu',
)
const NUMBER = /^[-+]?\d+(?:\.\d+)?$/
/** Secrets that are encoded once more are looked for; deeper nobody writes them by accident. */
const DEPTH = 2

/** The text without what is a secret by its form, by the name it is given, or by being random. */
export function withoutSecretTexts(text: string, depth = 0): string {
  let clean = redactText(text)
  for (const form of FORMS) clean = clean.replaceAll(form, BLANK)
  for (const form of BEHIND)
    clean = clean.replaceAll(form, (whole, before: string, found: string) =>
      isHarmless('', found) && !NUMBER.test(found) ? whole : before + BLANK,
    )
  clean = withoutNamedValues(clean, BLANK)
  clean = clean.replaceAll(NAMED, (whole, ...rest) => {
    const groups = rest.at(-1) as { key: string; between: string; value: string }
    const offset = rest.at(-3) as number
    return isNamedSecret(groups, clean.slice(offset + whole.length)) ? named(groups) : whole
  })
  if (depth < DEPTH)
    for (const { written, said } of encodedTexts(clean))
      if (withoutSecretTexts(said, depth + 1) !== said) clean = clean.replaceAll(written, BLANK)
  return clean.replaceAll(/[A-Za-z0-9_+/-]{20,}={0,2}/g, (run, at: number) =>
    looksRandom(run, clean.slice(Math.max(0, at - 40), at)) ? BLANK : run,
  )
}

const QUOTE = /^\\?["'`]/

function named({ key, between, value }: { key: string; between: string; value: string }): string {
  return `${key}${between}${QUOTE.exec(value)?.[0] ?? ''}${BLANK}`
}

/** Whether what follows such a name is a secret, and not the rest of a sentence about one. */
function isNamedSecret(
  { key, between, value }: { key: string; between: string; value: string },
  after: string,
): boolean {
  const quoted = QUOTE.test(value)
  const bare = trimmedEnd(value.replace(QUOTE, ''), /[.!?。！？]/)
  if (bare.startsWith(BLANK.slice(1)) || isHarmless(key, bare)) return false
  if (NUMBER.test(bare)) return true
  if (quoted || between.includes('=')) return true
  if (/\d/.test(bare) || /[^\p{L}\p{N}]/u.test(bare)) return bare.length >= 4 && /^[\x21-\x7e]+$/.test(bare)
  // A word alone at the end of a line is one; within a sentence it is the sentence's.
  const told = between.includes(':') || between.includes('\uff1a')
  return told && /^[\x21-\x7e]+$/.test(bare) && /^\s*(?:$|[\n,;，；。])/.test(after)
}
