import type { TaskView } from '@thingwright/contracts/tasks.contract'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../../lib/errors.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useOpenTasks } from '../open-tasks.ts'
import css from './task-drawer.module.css'
import { TaskItem } from './task-item.tsx'

type Of = 'own' | 'company'

interface Page {
  of: Of
  items: TaskView[]
  nextCursor: string | null
}

/** The task centre: what runs, how far it is, what failed, and the files that came out. */
export function TaskDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('tasks')
  const seesAll = useMay('audit.list')
  const [of, setOf] = useState<Of>('own')
  const [page, setPage] = useState<Page | null>(null)
  const [error, setError] = useState<unknown>(null)
  const dialog = useRef<HTMLDialogElement>(null)
  const open = useOpenTasks(s => s.open)

  const load = useCallback(async (whose: Of, cursor?: string) => {
    try {
      const reply = await call('tasks.list', { query: { of: whose, limit: 20, ...(cursor ? { cursor } : {}) } })
      setPage(before => ({
        of: whose,
        nextCursor: reply.nextCursor,
        items: cursor && before?.of === whose ? [...before.items, ...reply.items] : reply.items,
      }))
      setError(null)
    } catch (problem) {
      if (!isSilent(problem)) setError(problem)
    }
  }, [])
  useEffect(() => {
    const box = dialog.current
    if (box && !box.open) box.showModal()
  }, [])
  // A task that began or ended changes more than its progress.
  const which = Object.keys(open).toSorted().join()
  useEffect(() => {
    void load(of)
  }, [load, of, which])

  const items = page?.of === of ? page.items : null
  const replace = (task: TaskView) =>
    setPage(before => before && { ...before, items: before.items.map(each => (each.id === task.id ? task : each)) })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className={css.drawer}
      aria-label={t('title')}
      data-testid="task-drawer"
      onClose={onClose}
      onClick={event => {
        if (event.target === dialog.current) dialog.current?.close()
      }}
    >
      <div className={css.inside}>
        <header className={css.head}>
          <h2>{t('title')}</h2>
          {seesAll && (
            <div className={css.switch} role="radiogroup" aria-label={t('whose')}>
              {(['own', 'company'] as const).map(each => (
                <label key={each} data-chosen={of === each}>
                  <input type="radio" name="whose" checked={of === each} onChange={() => setOf(each)} />
                  {t(each)}
                </label>
              ))}
            </div>
          )}
          <button type="button" className={css.close} aria-label={t('close')} onClick={() => dialog.current?.close()}>
            ×
          </button>
        </header>
        <div className={css.body}>
          {error !== null && (
            <div className={css.error} role="alert">
              <p>{errorFacts(error).message}</p>
              <code>
                {errorFacts(error).code} · {errorFacts(error).requestId}
              </code>
              <button type="button" className={css.action} onClick={() => void load(of)}>
                {t('again')}
              </button>
            </div>
          )}
          {items === null && error === null && (
            <div aria-busy="true" data-testid="task-skeleton">
              {[0, 1, 2].map(each => (
                <div key={each} className={css.skeleton} />
              ))}
            </div>
          )}
          {items?.length === 0 && error === null && (
            <div className={css.empty} data-testid="tasks-empty">
              <b>{t('emptyTitle')}</b>
              <p>{t('emptyText')}</p>
            </div>
          )}
          <ul className={css.list}>
            {items?.map(task => (
              <TaskItem
                key={task.id}
                task={task}
                live={open[task.id] ?? null}
                showOwner={of === 'company'}
                onChanged={replace}
                onReload={() => void load(of)}
              />
            ))}
          </ul>
          {page?.of === of && page.nextCursor !== null && (
            <button type="button" className={css.more} onClick={() => void load(of, page.nextCursor ?? undefined)}>
              {t('more')}
            </button>
          )}
        </div>
        <footer className={css.foot}>{t('kept')}</footer>
      </div>
    </dialog>
  )
}
