import { beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { reloadRights } from '../../lib/session-load.ts'
import { takeOverRights } from './rights-watch.ts'

vi.mock('../../lib/session-load.ts', () => ({ reloadRights: vi.fn(async () => false) }))

describe('rights and menu of an open console', () => {
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries').mockResolvedValue()
  beforeEach(() => {
    vi.clearAllMocks()
  })

  it('are asked for again when they changed, and with them what pages show', async () => {
    await takeOverRights({ type: 'patch' })
    expect(reloadRights).toHaveBeenCalledTimes(1)
    expect(invalidate).toHaveBeenCalledTimes(1)
  })

  it('are looked at when the console begins to listen: a change before that was told to nobody', async () => {
    vi.mocked(reloadRights).mockResolvedValueOnce(true)
    await takeOverRights({ type: 'snapshot' })
    expect(invalidate).toHaveBeenCalledTimes(1)
  })

  it('leave pages alone when nothing changed', async () => {
    await takeOverRights({ type: 'snapshot' })
    expect(reloadRights).toHaveBeenCalledTimes(1)
    expect(invalidate).not.toHaveBeenCalled()
  })

  it('are left alone by refusals', async () => {
    await takeOverRights({ type: 'denied' })
    expect(reloadRights).not.toHaveBeenCalled()
  })
})
