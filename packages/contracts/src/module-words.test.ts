import { describe, expect, it } from 'vitest'
import { allContracts } from './all-contracts.ts'
import { ALL_WORDS } from './all-words.ts'
import type { ModuleFacts } from './module.ts'
import { allWords, menuPlaces } from './module-words.ts'
import { MODULES } from './modules.ts'
import { PERMISSIONS } from './permissions.ts'
import type { RouteContract } from './route.ts'
import { WEB_ROUTES } from './web-routes.ts'

const LANGUAGES = ['zh', 'en'] as const
const keysOf = (words: object) =>
  Object.entries(words).flatMap(([part, of]) => Object.keys(of as object).map(key => `${part}.${key}`))

describe('the words of the modules', () => {
  it('are the same in both languages, and none is empty', () => {
    for (const words of ALL_WORDS) {
      expect(keysOf(words.en).sort()).toEqual(keysOf(words.zh).sort())
      for (const language of LANGUAGES)
        for (const of of Object.values(words[language]))
          for (const [key, word] of Object.entries(of)) expect(word.trim(), key).not.toBe('')
    }
  })

  it('stand in one module each', () => {
    const keys = ALL_WORDS.flatMap(words => keysOf(words.zh))
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
  })

  it.each(LANGUAGES)('name every operation that a route can write (%s)', language => {
    const { noun, verb, whole } = allWords(language)
    const names = Object.values(allContracts)
      .flatMap(contracts => Object.values(contracts as Record<string, RouteContract>))
      .flatMap(({ audit }) => (typeof audit === 'string' ? [audit] : []))
    expect(names.length).toBeGreaterThan(100)
    const wordless = names.filter(name => {
      const [object = '', done = ''] = name.split('.')
      return !(noun[object] && (verb[done] || whole[`${object}_${done}`]))
    })
    expect([...new Set(wordless)]).toEqual([])
  })

  it('give pages of the menu a place and an address that is built', () => {
    const built = new Set(WEB_ROUTES.filter(route => route.built).map(route => route.path))
    expect(menuPlaces().filter(({ path, under, zh, en }) => !(built.has(path) && under && zh && en))).toEqual([])
  })

  it.each(LANGUAGES)('have a text for every error of the modules (%s)', language => {
    const { error } = allWords(language)
    const codes = (MODULES as readonly ModuleFacts[]).flatMap(({ errors = {} }) => Object.keys(errors))
    expect(Object.keys(error).sort()).toEqual(codes.sort())
  })

  it.each(LANGUAGES)('name every right (%s)', language => {
    const { resource, action } = allWords(language)
    const wordless = PERMISSIONS.filter(right => {
      const [of = '', does = ''] = right.split(':')
      return !(resource[of] && action[does])
    })
    expect(wordless).toEqual([])
  })
})
