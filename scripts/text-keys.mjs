// Every text that the console asks for by a literal key is there. node scripts/text-keys.mjs FOLDER looks at other
// sources than the console's.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import ts from 'typescript'

const PLURALS = ['', '_zero', '_one', '_two', '_few', '_many', '_other']

/**
 * Looks at `t('…')` of `useTranslation('namespace')`, at `t` that is handed on, and at `text('namespace:…')`; of a key
 * with a part that is known at run time only (`state.${state}`) one that fits has to be there.
 * @param {string} src the console's sources
 * @returns {{ problems: string[], keys: number }}
 */
export function textKeys(src) {
  const files = []
  const texts = new Map()
  const walk = folder => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (/\/locales\/zh\.json$/.test(path)) texts.set(namespaceOf(path), keysOf(path))
      else if (/\.tsx?$/.test(entry.name) && !/\.test\.|testing/.test(path)) files.push(path)
    }
  }
  walk(src)
  // These two also hold the words of the modules (apps/web/src/texts.ts).
  for (const [namespace, parts] of Object.entries({ audit: AUDIT_WORDS, rights: RIGHT_WORDS }))
    for (const key of moduleWords(join(src, '../../../packages/contracts/words')))
      if (parts.includes(key.split('.')[0])) texts.get(namespace)?.add(key)
  const sources = files.map(path => ({ path, area: areaOf(relative(src, path)), asked: askedIn(path) }))
  // A function that is handed a `t` gets one of its area's.
  const ofArea = new Map()
  for (const { area, asked } of sources)
    for (const { namespace } of asked) {
      if (!ofArea.has(area)) ofArea.set(area, new Set())
      if (namespace) ofArea.get(area).add(namespace)
    }
  const problems = []
  let keys = 0
  for (const { path, area, asked } of sources)
    for (const { namespace, key, line, open } of asked) {
      keys += 1
      const [, named, own] = /^(?:([\w-]+):)?(.*)$/s.exec(key)
      const spaces = named ? [named] : namespace ? [namespace] : [...(ofArea.get(area) ?? []), 'common', 'shell']
      if (!spaces.some(space => holds(texts.get(space), own, open)))
        problems.push(`${relative(src, path)}:${line}: no text ${named ?? namespace ?? '?'}:${own}`)
    }
  // A reader that understands nothing also misses nothing.
  if (keys === 0) problems.push('no key was found')
  return { problems, keys }
}

const AUDIT_WORDS = ['noun', 'verb', 'whole', 'tried']
const RIGHT_WORDS = ['resource', 'action']

function moduleWords(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap(file => [...keysIn(JSON.parse(readFileSync(join(folder, file), 'utf8')).zh)])
}

function namespaceOf(path) {
  const folder = path.split('/').at(-3)
  return folder === 'app' ? 'shell' : folder === 'lib' ? 'common' : folder
}

const keysOf = path => keysIn(JSON.parse(readFileSync(path, 'utf8')))

function keysIn(texts) {
  const keys = new Set()
  const walk = (value, prefix) => {
    for (const [key, inner] of Object.entries(value)) {
      const name = prefix ? `${prefix}.${key}` : key
      keys.add(name)
      if (inner && typeof inner === 'object') walk(inner, name)
    }
  }
  walk(texts, '')
  return keys
}

/** `features/devices`, `ui`, `app`, `lib`. */
function areaOf(path) {
  const parts = path.split('/')
  return parts[0] === 'features' ? parts.slice(0, 2).join('/') : parts[0]
}

function holds(keys, key, open) {
  if (!keys) return false
  if (!open) return PLURALS.some(ending => keys.has(key + ending))
  const fits = new RegExp(`^${key.split('*').map(escaped).join('.+')}(_\\w+)?$`, 's')
  return [...keys].some(each => fits.test(each))
}

const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The literal keys of one file with the namespace of their `t`; null: it was handed one. */
function askedIn(path) {
  const text = readFileSync(path, 'utf8')
  // Whoever asks has a `t` of his own, was handed one, or imports `text`: the rest need not be understood.
  if (!/useTranslation|TFunction|\bt\b|i18n\.ts/.test(text)) return []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const outside = /import \{[^}]*\btext\b[^}]*\} from '[^']*\/i18n\.ts'/.test(text)
  const found = []
  const visit = (node, scope) => {
    const inner = opensScope(node) ? new Map(scope) : scope
    if (opensScope(node)) declare(node, inner)
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.arguments.length > 0) {
      const name = node.expression.text
      const namespace = name === 'text' && outside ? 'common' : inner.get(name)
      if (namespace !== undefined)
        for (const { key, open } of literals(node.arguments[0])) {
          const { line } = file.getLineAndCharacterOfPosition(node.getStart())
          const asked = has(node, 'context') ? { key: `${key}_*`, open: true } : { key, open }
          // `t(key, 'words where there are none')` may miss.
          if (!hasDefault(node)) found.push({ ...asked, namespace, line: line + 1 })
        }
    }
    ts.forEachChild(node, child => visit(child, inner))
  }
  visit(file, new Map())
  return found.filter(each => each.key !== '*')
}

const opensScope = node => ts.isSourceFile(node) || ts.isFunctionLike(node) || ts.isBlock(node)

/** Which `t` there are from here on. */
function declare(node, scope) {
  const parameters = ts.isFunctionLike(node) ? node.parameters : []
  for (const { name, type } of parameters) {
    const names = ts.isIdentifier(name)
      ? [name]
      : name.elements.flatMap(each => (each.name && ts.isIdentifier(each.name) ? [each.name] : []))
    for (const { text } of names) {
      const written = type?.getText() ?? ''
      const generic = /\bTFunction<'([\w-]+)'/.exec(written)
      if (generic && ts.isIdentifier(name)) scope.set(text, generic[1])
      else if (text === 't') scope.set(text, null)
    }
  }
  const statements = ts.isSourceFile(node) || ts.isBlock(node) ? node.statements : []
  for (const statement of statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!initializer || !ts.isCallExpression(initializer) || !ts.isObjectBindingPattern(name)) continue
      if (initializer.expression.getText() !== 'useTranslation') continue
      const [given] = initializer.arguments
      for (const each of name.elements)
        if ((each.propertyName ?? each.name).getText() === 't' && ts.isIdentifier(each.name))
          scope.set(each.name.text, given === undefined ? 'common' : ts.isStringLiteral(given) ? given.text : null)
    }
  }
}

/** `'a'`, `on ? 'a' : 'b'`, `` `state.${state}` `` as `state.*`. */
function literals(node) {
  if (ts.isStringLiteralLike(node)) return [{ key: node.text, open: false }]
  if (ts.isParenthesizedExpression(node)) return literals(node.expression)
  if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)]
  if (ts.isTemplateExpression(node))
    return [{ key: [node.head.text, ...node.templateSpans.map(span => span.literal.text)].join('*'), open: true }]
  return []
}

function hasDefault(call) {
  const [, second] = call.arguments
  if (!second) return false
  return has(call, 'defaultValue') || ts.isStringLiteralLike(second) || ts.isPropertyAccessExpression(second)
}

function has(call, option) {
  const [, second] = call.arguments
  return (
    second !== undefined &&
    ts.isObjectLiteralExpression(second) &&
    second.properties.some(each => each.name?.getText() === option)
  )
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../apps/web/src'))
  if (!existsSync(folder)) throw new Error(`there is no ${folder}`)
  const { problems, keys } = textKeys(folder)
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  if (problems.length === 0) process.stdout.write(`${keys} keys\n`)
  process.exit(problems.length ? 1 : 0)
}
