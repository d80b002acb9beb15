import { describe, expect, it } from 'vitest'
import chinese from '../locales/operations.json' with { type: 'json' }
import { allContracts } from './all-contracts.ts'
import type { RouteContract } from './route.ts'

const routes = Object.entries(allContracts).flatMap(([group, contracts]) =>
  Object.entries(contracts as Record<string, RouteContract>).map(([name, contract]) => ({
    operation: `${group}.${name}`,
    ...contract,
  })),
)
const summaries = new Map<string, string>(
  Object.entries(chinese.operations).flatMap(([group, of]) =>
    Object.entries(of).map(([name, summary]) => [`${group}.${name}`, summary] as const),
  ),
)

describe('the Chinese of the documents of the API', () => {
  it('says of every route what it is for, and of no other', () => {
    expect([...summaries.keys()].sort()).toEqual(routes.map(({ operation }) => operation).sort())
    expect([...summaries].filter(([, summary]) => !/[\u4e00-\u9fff]/.test(summary))).toEqual([])
  })

  it('names every tag, and no other', () => {
    expect(Object.keys(chinese.tags).sort()).toEqual([...new Set(routes.map(({ tag }) => tag))].sort())
    expect(Object.values(chinese.tags).filter(tag => tag.trim() === '')).toEqual([])
  })

  it('keeps the numbers and the names of fields and rights that the English says', () => {
    const said = (text: string) =>
      [...text.matchAll(/\d[\d,]{2,}|`[^`]+`|\b[a-z]+:[a-z_]+\b|\b[a-z]+[A-Z]\w*\b/g)].map(([found]) =>
        found.replaceAll(',', ''),
      )
    const lost = routes.flatMap(({ operation, summary }) => {
      const there = new Set(said(summaries.get(operation) ?? ''))
      return said(summary)
        .filter(each => !there.has(each))
        .map(each => `${operation}: ${each}`)
    })
    expect(lost).toEqual([])
  })
})
