import { lazy, Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { loadTexts } from '../../../lib/i18n.ts'
import { type LiveEvent, useLiveTopic } from '../../../lib/live-socket.ts'
import { followTasks, shareDone, useOpenTasks } from '../open-tasks.ts'
import css from './task-button.module.css'

const TaskDrawer = lazy(async () => {
  const [{ TaskDrawer }] = await Promise.all([import('./task-drawer.tsx'), loadTexts('tasks')])
  return { default: TaskDrawer }
})

const AROUND = 2 * Math.PI * 12

/** The task centre in the header: a ring while something of the person's runs; the drawer is downloaded when opened. */
export function TaskButton() {
  const { t } = useTranslation('shell')
  const [open, setOpen] = useState(false)
  const tasks = Object.values(useOpenTasks(s => s.open))
  useLiveTopic('tasks', tell)
  const close = useCallback(() => setOpen(false), [])
  const label = tasks.length > 0 ? t('header.tasksRunning', { count: tasks.length }) : t('header.tasks')
  return (
    <>
      <button
        type="button"
        className={css.button}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-testid="task-centre"
        onClick={() => setOpen(true)}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.4" aria-hidden>
          <path
            d="M2 4.2 3.2 5.4 5.2 3M2 11l1.2 1.2 2-2.4M8 4.2h6M8 11h6"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
        {tasks.length > 0 && <Ring share={shareDone(tasks)} />}
      </button>
      {open && (
        <Suspense>
          <TaskDrawer onClose={close} />
        </Suspense>
      )}
    </>
  )
}

function tell(event: LiveEvent): void {
  const ended = followTasks(event)
  // A person who cannot be told now sees it in the task centre.
  if (ended) import('../task-ended.ts').then(({ sayEnded }) => sayEnded(ended)).catch(() => undefined)
}

function Ring({ share }: { share: number | null }) {
  return (
    <svg
      className={`${css.ring} ${share === null ? css.turning : ''}`}
      viewBox="0 0 28 28"
      fill="none"
      strokeWidth="2"
      aria-hidden="true"
      data-testid="task-ring"
    >
      <circle cx="14" cy="14" r="12" stroke="currentColor" opacity="0.2" />
      <circle
        cx="14"
        cy="14"
        r="12"
        stroke="currentColor"
        strokeLinecap="round"
        strokeDasharray={`${Math.max(0.06, share ?? 0.25) * AROUND} ${AROUND}`}
      />
    </svg>
  )
}
