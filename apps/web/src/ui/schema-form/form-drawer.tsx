import { Alert, Button, Drawer } from 'antd'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts, isSilent } from '../../lib/errors.ts'
import { CopyId } from '../copy-id.tsx'
import { onTop, type Stored, storedIn } from './conflict.ts'
import { ConflictPanel } from './conflict-panel.tsx'
import type { Field, Values } from './field.ts'
import css from './schema-form.module.css'
import { SchemaForm } from './schema-form.tsx'
import { useUnsavedGuard } from './unsaved-guard.tsx'
import { type SchemaFormState, useSchemaForm } from './use-schema-form.ts'

/** What went wrong with the whole form, with code and request id to copy. */
export function FormAlert({ error, rest }: { error: unknown; rest?: readonly string[] }) {
  const { code, message, requestId } = errorFacts(error)
  return (
    <Alert
      className={css.alert ?? ''}
      type="error"
      showIcon
      role="alert"
      title={message}
      description={
        <>
          {rest?.map(line => (
            <div key={line}>{line}</div>
          ))}
          <CopyId value={requestId ? `${code} · ${requestId}` : code} />
        </>
      }
    />
  )
}

/**
 * Sends a form once at a time; complaints go to the fields, what belongs to none stands above. After a conflict `send`
 * gets the version that the person has seen by then.
 */
export function useFormSubmit(
  form: SchemaFormState,
  send: (values: Values, newer: number | undefined) => Promise<unknown>,
  /** Where the conflict is shown: how the fields read what the server has stored; absent, it fails like anything else. */
  conflicts?: { read: ((current: never) => Values) | undefined },
) {
  const [busy, setBusy] = useState(false)
  const [stored, setStored] = useState<Stored | null>(null)
  const newer = useRef<number>(undefined)
  const [failure, setFailure] = useState<{ error: unknown; rest: string[] } | null>(null)
  const submit = async () => {
    if (busy) return
    const values = form.submit()
    if (values === null) return
    setBusy(true)
    setFailure(null)
    setStored(null)
    try {
      await send(values, newer.current)
    } catch (error) {
      const theirs = conflicts ? storedIn(error, form.fields, form.start, conflicts.read) : null
      if (theirs) setStored(theirs)
      else if (!isSilent(error)) {
        const rest = form.refuse(error)
        if (rest !== null) setFailure({ error, rest })
      }
    } finally {
      setBusy(false)
    }
  }
  const seen = (theirs: Stored, values: Values) => {
    newer.current = theirs.version
    form.reset({ ...form.start, ...theirs.values }, values)
    setStored(null)
  }
  const conflict = stored && (
    <ConflictPanel
      fields={form.fields}
      start={form.start}
      mine={form.values}
      stored={stored}
      busy={busy}
      onTheirs={() => seen(stored, { ...form.start, ...stored.values })}
      onMine={() => {
        seen(stored, onTop(form.start, form.values, stored.values))
        void submit()
      }}
    />
  )
  return { busy, failure, conflict, submit, clearFailure: () => setFailure(null) }
}

/**
 * Create and edit in a drawer. `onSubmit` gets the checked values and resolves once they are stored (the caller then
 * closes or shows the result); what it throws is shown where it belongs.
 */
export function FormDrawer({
  title,
  fields,
  initial,
  submitText,
  width = 560,
  intro,
  note,
  onSubmit,
  onClose,
  stored,
}: {
  title: ReactNode
  fields: readonly Field[]
  initial: Values
  submitText: string
  width?: 560 | 720
  intro?: ReactNode
  note?: ReactNode
  /** `newer` is the version to send in place of the one that the form began with, after somebody else was quicker. */
  onSubmit: (values: Values, newer: number | undefined) => Promise<unknown>
  onClose: () => void
  /** Values of the fields in what the server has stored; without it those of the same name. */
  stored?: (current: never) => Values
}) {
  const { t } = useTranslation('schema-form')
  const form = useSchemaForm(fields, initial)
  const [done, setDone] = useState(false)
  const guard = useUnsavedGuard(form.dirty && !done)
  const send = async (values: Values, newer: number | undefined) => {
    setDone(true)
    try {
      await onSubmit(values, newer)
    } catch (error) {
      setDone(false)
      throw error
    }
  }
  const { busy, failure, conflict, submit } = useFormSubmit(form, send, { read: stored })
  return (
    <Drawer
      open
      size={width}
      title={title}
      onClose={() => guard.ask(onClose)}
      maskClosable={!busy}
      footer={
        <div className={css.foot}>
          {note && <span className={css.footNote}>{note}</span>}
          <Button onClick={() => guard.ask(onClose)}>{t('cancel')}</Button>
          <Button type="primary" loading={busy} onClick={() => void submit()}>
            {submitText}
          </Button>
        </div>
      }
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        {conflict}
        {failure && <FormAlert error={failure.error} rest={failure.rest} />}
        {intro}
        <SchemaForm form={form} disabled={busy} />
        <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
      </form>
      {guard.dialog}
    </Drawer>
  )
}
