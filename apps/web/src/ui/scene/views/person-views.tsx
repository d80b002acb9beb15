import { useCallback, useEffect, useRef, useState } from 'react'
import css from '../scene.module.css'
import { type PageTask, useScene } from '../scene-context.ts'
import words from '../words.json' with { type: 'json' }
import { playCamera } from './camera-stream.ts'
import type { ViewProps } from './view-props.ts'

const EVERY_MS = 30_000
const CHANNEL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Timed tasks of the device of a role, each with its switch. Needs a sign-in; the visitor's permissions apply. */
export function TasksView({ look }: ViewProps) {
  const { person, editing, language } = useScene()
  const t = words[language]
  const role = look.text('role')
  const [tasks, setTasks] = useState<{ items: readonly PageTask[]; mayChange: boolean } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState<string | null>(null)
  const read = useCallback(async () => {
    if (!person || role === '') return
    try {
      setTasks(await person.tasks(role))
      setError(null)
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure))
    }
  }, [person, role])
  useEffect(() => {
    void read()
    const timer = setInterval(() => void read(), EVERY_MS)
    return () => clearInterval(timer)
  }, [read])
  const set = async (task: PageTask) => {
    setBusy(task.id)
    try {
      await person?.setTask(task.id, task.state !== 'enabled')
      await read()
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure))
    } finally {
      setBusy(null)
    }
  }
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'short' })
  return (
    <div className={css.box}>
      {look.text('label') && <h3 className={css.boxTitle}>{look.text('label')}</h3>}
      {error && (
        <p className={css.note} role="alert">
          {error}
        </p>
      )}
      <ul className={css.list}>
        {editing ? (
          <li className={css.note}>{t.tasksHere}</li>
        ) : !person ? (
          <li className={css.note}>{t.signInFirst}</li>
        ) : tasks === null ? (
          error === null && <li className={css.note}>{t.past.loading}</li>
        ) : tasks.items.length === 0 ? (
          <li className={css.note}>{t.noTasks}</li>
        ) : (
          tasks.items.map(task => (
            <li key={task.id} className={css.alarm}>
              <span className={css.alarmText}>
                {task.name}
                <br />
                <span className={css.note}>
                  {task.state === 'ended' ? t.taskDone : task.nextRunAt ? time.format(new Date(task.nextRunAt)) : '–'}
                </span>
              </span>
              <button
                type="button"
                role="switch"
                className={css.button}
                aria-checked={task.state === 'enabled'}
                aria-label={task.name}
                disabled={!tasks.mayChange || task.state === 'ended' || busy !== null}
                onClick={() => void set(task)}
              >
                {task.state === 'enabled' ? t.taskOn : t.taskOff}
              </button>
            </li>
          ))
        )}
      </ul>
    </div>
  )
}

/** The live picture of a camera. Only visitors who are signed in and may see the camera get a stream address. */
export function CameraView({ look, node }: ViewProps) {
  const { person, editing, language } = useScene()
  const t = words[language]
  const video = useRef<HTMLVideoElement>(null)
  const [error, setError] = useState<string | null>(null)
  const [round, setRound] = useState(0)
  const channel = look.text('channel')
  const isThere = CHANNEL.test(channel)
  useEffect(() => {
    const element = video.current
    if (!element || !person || editing || !isThere) return
    const ended = new AbortController()
    setError(null)
    playCamera(element, person, channel, ended.signal, fault =>
      setError(fault === 'unsupported' ? t.cameraUnsupported : t.cameraBroken),
    ).catch((failure: unknown) => {
      if (!ended.signal.aborted) setError(failure instanceof Error ? failure.message : String(failure))
    })
    return () => ended.abort()
  }, [person, editing, isThere, channel, round, t])
  const label = look.text('label') || node.name
  if (!isThere) return <div className={css.blocked}>{t.noCamera}</div>
  if (editing) return <div className={css.blocked}>{label}</div>
  if (!person) return <div className={css.blocked}>{t.signInFirst}</div>
  return (
    <>
      <video ref={video} className={css.fill} muted playsInline controls aria-label={label} />
      {error && (
        <div className={css.blocked} role="alert" style={{ position: 'absolute', inset: 0 }}>
          <span>{error}</span>
          <button type="button" className={css.button} onClick={() => setRound(now => now + 1)}>
            {t.again}
          </button>
        </div>
      )}
    </>
  )
}
