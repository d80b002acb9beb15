// Where texts stand: Chinese in locale files only, and every text in both languages. node scripts/texts.mjs FOLDER looks
// at another tree.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

/**
 * Chinese texts live in locale files: everywhere else they would miss their English.
 * @param {string} root the repository
 * @returns {{ problems: string[], files: number }}
 */
export function chineseLiterals(root) {
  const problems = []
  let files = 0
  const walk = folder => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (
        ['node_modules', 'dist', 'locales', 'seeds', 'simulators', 'fixtures', 'testing', 'results'].includes(
          entry.name,
        )
      )
        continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (
        /\.tsx?$/.test(entry.name) &&
        !/\.(test|e2e|examples)\.|fixtures/.test(entry.name) &&
        !path.endsWith('contracts/src/permissions.ts')
      ) {
        files += 1
        for (const [i, line] of readFileSync(path, 'utf8').split('\n').entries()) {
          if (/[\u4e00-\u9fff]/.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
            problems.push(`${relative(root, path)}:${i + 1}: ${line.trim().slice(0, 100)}`)
        }
      }
    }
  }
  for (const part of ['apps', 'packages', 'tools']) if (existsSync(join(root, part))) walk(join(root, part))
  // A walk that finds no file also finds no literal.
  if (files === 0) problems.push('no source files were found')
  return { problems, files }
}

/**
 * zh and en of every locale folder hold the same keys with the same placeholders.
 * @param {string} root the repository
 * @returns {{ problems: string[], pairs: number }}
 */
export function localeParity(root) {
  const problems = []
  let pairs = 0
  const flatten = (value, prefix, out) => {
    for (const [key, inner] of Object.entries(value)) {
      const path = prefix ? `${prefix}.${key}` : key
      if (inner && typeof inner === 'object') flatten(inner, path, out)
      else out.set(path, String(inner))
    }
    return out
  }
  const placeholders = text =>
    [...text.matchAll(/\{\{?\s*(\w+)\s*\}?\}/g)]
      .map(m => m[1])
      .sort()
      .join(',')
  const walk = folder => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (['node_modules', 'dist'].includes(entry.name)) continue
      const path = join(folder, entry.name)
      if (!entry.isDirectory()) continue
      if (entry.name !== 'locales') {
        walk(path)
        continue
      }
      const place = relative(root, path)
      const missing = ['zh.json', 'en.json'].filter(name => !existsSync(join(path, name)))
      if (missing.length > 0) problems.push(`${place}: no ${missing.join(' and no ')}`)
      else {
        pairs += 1
        const [zh, en] = ['zh.json', 'en.json'].map(name =>
          flatten(JSON.parse(readFileSync(join(path, name), 'utf8')), '', new Map()),
        )
        const plural = key => key.replace(/_(one|other|zero|two|few|many)$/, '')
        const enKeys = new Set([...en.keys()].map(plural))
        const zhKeys = new Set([...zh.keys()].map(plural))
        for (const key of zhKeys) if (!enKeys.has(key)) problems.push(`${place}: ${key} only in zh`)
        for (const key of enKeys) if (!zhKeys.has(key)) problems.push(`${place}: ${key} only in en`)
        for (const [key, text] of zh)
          if (en.has(key) && placeholders(text) !== placeholders(en.get(key)))
            problems.push(`${place}: ${key} has other placeholders in en`)
        for (const [key, text] of en)
          if (/[\u4e00-\u9fff]/.test(text) && !/language/i.test(key))
            problems.push(`${place}: ${key} is Chinese in en.json`)
      }
    }
  }
  for (const part of ['apps', 'packages']) if (existsSync(join(root, part))) walk(join(root, part))
  if (pairs === 0) problems.push('no locale files were found')
  return { problems, pairs }
}

const HAN = '\u4e00-\u9fff\u201c\u201d\u300a\u300b\uff08\uff09\u3010\u3011'
/** A half-width sign beside a Chinese one, between two places to fill, or at a place to fill and its blank. */
const HALF_WIDTH = new RegExp(`[${HAN}] ?[,;:?!](?![/\\d])|[,;:?!] ?[${HAN}]|\\} ?,\\{`)
/** Files of what the server says to people: notices, mails, texts. Not patterns that are held against questions. */
const SAID = /(?:words|texts|mails|notice)\.json$/
const PATTERN = /\(\?|\\|\|/

/**
 * Chinese that the server sends by itself (mail, SMS, notices) is written with full-width signs.
 * @param {string} root the repository
 * @returns {{ problems: string[], texts: number }}
 */
export function halfWidthSigns(root) {
  const problems = []
  let texts = 0
  const look = (value, key, place, chinese) => {
    if (typeof value === 'string') {
      if (!chinese || !/[\u4e00-\u9fff]/.test(value) || PATTERN.test(value)) return
      texts += 1
      const [sign] = HALF_WIDTH.exec(value) ?? []
      if (sign !== undefined) problems.push(`${place}: ${key} has a half-width sign: ${sign}`)
      return
    }
    if (!value || typeof value !== 'object') return
    for (const [name, inner] of Object.entries(value))
      look(inner, key ? `${key}.${name}` : name, place, chinese || name === 'zh')
  }
  const walk = folder => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (SAID.test(entry.name))
        look(JSON.parse(readFileSync(path, 'utf8')), '', relative(root, path).replaceAll('\\', '/'), false)
    }
  }
  for (const part of ['modules', 'adapters']) {
    const folder = join(root, 'apps/server/src', part)
    if (existsSync(folder)) walk(folder)
  }
  return { problems, texts }
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(process.argv[2] ?? '.')
  const problems = [
    ...chineseLiterals(folder).problems,
    ...localeParity(folder).problems,
    ...halfWidthSigns(folder).problems,
  ]
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.exit(problems.length ? 1 : 0)
}
