// The words of the product: what a pattern can see of the rules for its texts, in every locale file and in what the
// server says to people. node scripts/words.mjs FOLDER looks at every text of another tree, with --new at those that differ
// from main.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const H = '\\u4e00-\\u9fff'
/** Files of what the server says to people: notices, mails, texts, exports. */
const SAID = /(?:words|texts|mails|notice|-export)\.json$/

/** The Chinese of the summaries of routes; the English stands in the contracts. */
const OPERATIONS = 'packages/contracts/locales/operations.json'

/** [what is wrong, the pattern that sees it]; `keys`: of these keys only. */
const CHINESE = [
  ['half-width sign', new RegExp(`[${H}] ?[,;:?!](?![/\\d])|[,;:?!] ?[${H}]|[”）}] ?[,;:?!](?![/\\d\\w])|\\} ?,\\{`)],
  ['half-width bracket', new RegExp(`[${H}]\\(|\\([${H}]|[${H}]\\)`)],
  ['no space between Chinese and Latin', new RegExp(`[${H}][A-Za-z0-9{]|[A-Za-z0-9}%][${H}]`)],
  ['space beside a full-width sign', /[^\S\n][，。；：？！、（）]|[，。；：？！、（）][^\S\n]/],
  ['who reads it', /你|贵企业/],
  ['exclamation mark', /[!！]/],
  ['slang', /不对|打不开|读不懂|不认识|差一点|快满|太快了|多半|这么久/],
  [
    'other name',
    /产品密钥|产品 ?Key|命令|告警|挂接|从机|网址回调|接口密钥|二次验证|掉线延时|离线时延|租户|公司|运营者|站内信|修改时间/,
  ],
]
const ENGLISH = [
  ['straight apostrophe', /[a-z]'[a-z]/],
  ['plural in brackets', /[a-z]\((s|es)\)/],
  ['ID in small letters', /\bids?\b/],
  ['empty as a label', /[Ee]mpty:/],
  ['empty sentence', /^(There (is|are) no|No such)\b/],
  [
    'riddle',
    /\b(nobody|somebody|everybody|oneself|stands?|told|maker|for good|at once|by itself|of (its|one’s) own|goes on|let in|hand(ed)? in|take(n)? back|all the same|second yes)\b/i,
  ],
  [
    'other name',
    /\b(rights?|time-out|user name|mail address|materials?|licence|recharges?|applet|flow cards?|doctor|refused?|froze|frozen|freeze)\b/i,
  ],
]
const BOTH = [
  ['straight quote', /"/],
  ['three dots', /\.{3}/],
  ['stray space', /[^\S\n]{2,}|^\s|\s$/],
  ['unit without a space', /\d(ms|s|min|h|[KMG]B)\b/],
  ['space before %', /[\d}] %/],
  ['range with a hyphen', /(?<![\d-])\d{1,3} ?- ?\d{1,3}(?![\d-])/],
  ['full stop on a label', /[。.]$/, /(^|\.)(title|action|ok)$/],
]
/** Not looked at: patterns that are held against questions, addresses, what stands between backticks. */
const PATTERN = /\(\?|\\\||\[[^\]]*\|/
const CODE = /(?:https?|nats|tls|mqtts?|coap|wss?):\/\/[\w./:{}?=&-]*|`[^`]*`/g
const PLACE = /\{\{?\s*\w+\s*\}?\}/g

/**
 * What is wrong with one text.
 * @param {string} key its key
 * @param {string} text
 * @param {'zh' | 'en'} language
 * @returns {string[]} names of what is wrong, with the place
 */
export function wrongIn(key, text, language) {
  const bare = text.replace(CODE, '·')
  // A name of a value is no English word.
  const own = language === 'zh' ? CHINESE : ENGLISH
  const worded = language === 'zh' ? bare : bare.replace(PLACE, '·')
  return [...own.map(rule => [rule, worded]), ...BOTH.map(rule => [rule, bare])].flatMap(([[what, sees, keys], at]) => {
    if (keys && !keys.test(key)) return []
    const found = sees.exec(at)
    return found
      ? [{ what, near: at.slice(Math.max(0, found.index - 6), found.index + found[0].length + 6).trim() }]
      : []
  })
}

/**
 * What differs from the branch that everything goes into; on that branch, what is not committed yet.
 * @param {string} root the repository
 * @returns {(place: string, text: string) => boolean} whether a text of a file is new; everything is where there is no git
 */
export function changedTexts(root) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  const base = git('merge-base', 'HEAD', 'main').stdout.trim() || git('rev-parse', 'HEAD').stdout.trim()
  if (!base) return () => true
  const added = new Map()
  const gone = new Map()
  let place = ''
  for (const line of git('diff', '-U0', '--no-color', '--no-ext-diff', base, '--', '*.json').stdout.split('\n')) {
    if (line.startsWith('+++ ')) place = line.slice('+++ b/'.length)
    else if (line.startsWith('+')) added.set(place, `${added.get(place) ?? ''}${line}\n`)
    else if (line.startsWith('-')) gone.set(place, `${gone.get(place) ?? ''}${line}\n`)
  }
  const fresh = new Set(git('ls-files', '--others', '--exclude-standard', '--', '*.json').stdout.split('\n'))
  const has = (lines, place, text) => (lines.get(place) ?? '').includes(JSON.stringify(text))
  // A line that only got its comma stands among those that went, too.
  return (place, text) => fresh.has(place) || (has(added, place, text) && !has(gone, place, text))
}

/**
 * New texts keep to the rules, but for the specification's own messages and what is listed with its reason in
 * `scripts/words-exempt.json`. What is listed and no longer needed is a fault too.
 * @param {string} root the repository
 * @param {(place: string, text: string) => boolean} isNew which texts are held against the rules
 * @returns {{ problems: string[], texts: number }}
 */
export function words(root, isNew = () => true) {
  const list = join(root, 'scripts/words-exempt.json')
  const { specification, texts: exempt } = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : { specification: [], texts: [] }
  const used = new Set()
  const problems = []
  let texts = 0
  const look = (place, key, text, language) => {
    texts += 1
    for (const { what, near } of wrongIn(key, text, language)) {
      const fixed = specification.find(message => text.includes(message) && wrongIn(key, message, language).length > 0)
      const excused = exempt.findIndex(each => each.file === place && each.key === key && each.what === what)
      if (fixed !== undefined && wrongIn(key, text.replace(fixed, ''), language).every(other => other.what !== what))
        used.add(fixed)
      else if (excused >= 0) used.add(excused)
      else if (isNew(place, text)) problems.push(`${place}: ${key}: ${what}: ${near}`)
    }
  }
  const flat = (value, key, found) => {
    if (typeof value === 'string') found.push([key, value])
    else if (value && typeof value === 'object')
      for (const [name, inner] of Object.entries(value)) flat(inner, key ? `${key}.${name}` : name, found)
    return found
  }
  const locale = (file, place, language) => {
    const all = flat(JSON.parse(readFileSync(file, 'utf8')), '', [])
    for (const [key, text] of all) look(place, key, text, language)
    const keys = new Set(all.map(([key]) => key))
    if (language === 'en')
      for (const key of keys) {
        const other = key.endsWith('_one') ? key.replace(/_one$/, '_other') : key.replace(/_other$/, '_one')
        if (other !== key && !keys.has(other) && isNew(place, all.find(([name]) => name === key)[1]))
          problems.push(`${place}: ${key}: no ${other}`)
      }
  }
  const said = (file, place) => {
    for (const [key, text] of flat(JSON.parse(readFileSync(file, 'utf8')), '', [])) {
      const language = /(?:^|\.)(zh|en)(?:\.|$)/.exec(key)?.[1]
      if (language && !PATTERN.test(text)) look(place, key, text, language)
    }
  }
  const walk = (folder, server) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (['node_modules', 'dist'].includes(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path, server)
      else {
        const place = relative(root, path).replaceAll('\\', '/')
        const language = /\/locales\/(zh|en)\.json$/.exec(place)?.[1]
        if (language) locale(path, place, language)
        else if (place === OPERATIONS) locale(path, place, 'zh')
        else if ((server && SAID.test(entry.name)) || /^packages\/contracts\/words\//.test(place)) said(path, place)
      }
    }
  }
  for (const part of ['apps', 'packages']) if (existsSync(join(root, part))) walk(join(root, part), part === 'apps')
  for (const message of specification)
    if (!used.has(message)) problems.push(`words-exempt.json: not needed: ${message}`)
  for (const [i, { file, key, what }] of exempt.entries())
    if (!used.has(i)) problems.push(`words-exempt.json: not needed: ${file} ${key} ${what}`)
  if (texts === 0) problems.push('no texts were found')
  return { problems, texts }
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(process.argv[2] ?? '.')
  const { problems } = words(folder, process.argv.includes('--new') ? changedTexts(folder) : undefined)
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.exit(problems.length ? 1 : 0)
}
