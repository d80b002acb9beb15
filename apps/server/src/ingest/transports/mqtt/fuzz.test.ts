import { expect, it } from 'vitest'
import { runFuzz } from './testing/fuzz-run.ts'

it('60,000 mutated packets end no process, leak nothing, and cost a well-behaved client nothing', async () => {
  const report = await runFuzz(60_000, 20260101)
  expect(report).toMatchObject({ failures: [], alive: true })
  expect(report.packets).toBeGreaterThanOrEqual(60_000)
  expect(report.bystander.stored).toBe(report.bystander.published)
  expect(report.heldGrowthMb).toBeLessThan(20)
})
