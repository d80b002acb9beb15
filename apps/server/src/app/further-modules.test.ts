import { expect, it } from 'vitest'
import type { ModuleDefinition } from '../lib/module.ts'
import { createNews } from '../lib/news.ts'
import { FURTHER_MODULES, type FurtherNeeds } from './further-modules.ts'

it('names every module once', () => {
  const names = FURTHER_MODULES.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

it('does not compile with a module that needs what nobody has, nor with news that nobody knows', () => {
  const modest: ModuleDefinition<FurtherNeeds> = { name: 'modest', create: (_: Pick<FurtherNeeds, 'now'>) => ({}) }
  // @ts-expect-error nobody brings a moon
  const greedy: ModuleDefinition<FurtherNeeds> = { name: 'greedy', create: (_: { moon: string }) => ({}) }
  const news = createNews(() => undefined)
  // @ts-expect-error there is no such news
  news.tell('moon.changed', {})
  // @ts-expect-error these news carry who it is about
  news.tell('rights.changed', {})
  expect([modest, greedy]).toHaveLength(2)
})
