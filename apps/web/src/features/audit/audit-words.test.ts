import { readFileSync } from 'node:fs'
import { allContracts } from '@thingwright/contracts/all-contracts'
import { expect, it } from 'vitest'

const texts = (language: string) =>
  JSON.parse(readFileSync(new URL(`./locales/${language}.json`, import.meta.url), 'utf8')) as Record<
    'noun' | 'verb' | 'whole',
    Record<string, string>
  >

it.each(['zh', 'en'])('every operation that a route can write has words (%s)', language => {
  const { noun, verb, whole } = texts(language)
  const names = Object.values(allContracts).flatMap(contracts =>
    Object.values(contracts as Record<string, { audit?: unknown }>).map(({ audit }) => audit),
  )
  const wordless = names
    .filter(name => typeof name === 'string')
    .filter(name => {
      const [object = '', done = ''] = name.split('.')
      return !(noun[object] && (verb[done] || whole[`${object}_${done}`]))
    })
  expect([...new Set(wordless)]).toEqual([])
})
