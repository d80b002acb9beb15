import { describe, expect, it } from 'vitest'
import { bytesOf, MAX_STEPS, type PlanPackage, planPath } from './ota-plan.ts'

const full = (version: string, size: number): PlanPackage => ({
  id: `full ${version}`,
  kind: 'full',
  version,
  fromVersion: null,
  size,
})
const delta = (fromVersion: string, version: string, size: number): PlanPackage => ({
  id: `${fromVersion}>${version}`,
  kind: 'delta',
  version,
  fromVersion,
  size,
})
const ids = (packages: PlanPackage[], from: string | null, to: string) =>
  planPath(packages, from, to)?.map(step => step.packageId) ?? null

describe('the way to a version', () => {
  const packages = [full('3', 1000), delta('1', '2', 100), delta('2', '3', 100), delta('1', '3', 150)]

  it('has the fewest bytes, deltas one after the other where that is less', () => {
    expect(ids(packages, '1', '3')).toEqual(['1>3'])
    expect(ids([...packages, delta('1', '3', 999)].slice(0, 3), '1', '3')).toEqual(['1>2', '2>3'])
    expect(ids([...packages, full('2', 40)], '9', '3')).toEqual(['full 2', '2>3'])
  })

  it('of equal ones has the fewest restarts', () => {
    expect(ids([delta('1', '2', 50), delta('2', '3', 50), delta('1', '3', 100)], '1', '3')).toEqual(['1>3'])
  })

  it('is the full package where no delta begins, or the version is not known', () => {
    expect(ids(packages, '0.9', '3')).toEqual(['full 3'])
    expect(ids(packages, null, '3')).toEqual(['full 3'])
    expect(ids([delta('', '3', 1)], null, '3')).toBeNull()
  })

  it('is nothing for who is there, and is not there when nothing leads on', () => {
    expect(planPath(packages, '3', '3')).toEqual([])
    expect(planPath(packages.slice(1), '0.9', '3')).toBeNull()
    expect(planPath([delta('1', '2', 1), delta('2', '1', 1)], '1', '3')).toBeNull()
  })

  it('has an end', () => {
    const chain = Array.from({ length: MAX_STEPS + 1 }, (_, n) => delta(String(n), String(n + 1), 1))
    expect(planPath(chain, '1', String(MAX_STEPS + 1))).toHaveLength(MAX_STEPS)
    expect(planPath(chain, '0', String(MAX_STEPS + 1))).toBeNull()
  })

  it('is never longer than any other way, over made-up fleets', () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return seed % below
    }
    for (let round = 0; round < 60; round++) {
      const made = Array.from({ length: 9 }, () => {
        const [from, to] = [random(6), random(6)]
        return random(3) === 0 || from === to
          ? full(String(to), 20 + random(80))
          : delta(String(from), String(to), 1 + random(40))
      })
      const found = planPath(made, '0', '5')
      expect(found === null ? null : bytesOf(found)).toBe(cheapest(made, '0', '5', 5))
      let at: string | null = '0'
      for (const step of found ?? []) {
        if (step.kind === 'delta') expect(step.fromVersion).toBe(at)
        at = step.version
      }
    }
  })
})

/** By trying everything. */
function cheapest(packages: PlanPackage[], from: string, to: string, depth: number): number | null {
  if (from === to) return 0
  if (depth === 0) return null
  const ways = packages
    .filter(item => item.version !== from && (item.kind === 'full' || item.fromVersion === from))
    .flatMap(item => {
      const rest = cheapest(packages, item.version, to, depth - 1)
      return rest === null ? [] : [item.size + rest]
    })
  return ways.length === 0 ? null : Math.min(...ways)
}
