import { Button, Checkbox, Input, Modal, Segmented } from 'antd'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onSessionEnd } from '../../../lib/session.ts'
import { type Operation, typeWord } from '../../../ui/api-docs/openapi.ts'
import {
  type DraftProblem,
  formFields,
  isFile,
  isJson,
  problemsOf,
  type RequestDraft,
  requestOf,
} from '../../../ui/api-docs/request.ts'
import css from '../developer.module.css'
import own from './explorer.module.css'
import { ReplyView } from './reply-view.tsx'
import { type Sender, sendRequest, type TriedReply } from './send-request.ts'

/** Kept while the console is open and nowhere else. */
let pastedKey = ''
let senderKind: Sender['kind'] = 'session'
let unasked = false
// Whoever signs in next in this tab begins with nothing.
onSessionEnd(() => {
  pastedKey = ''
  senderKind = 'session'
  unasked = false
})

type State = { kind: 'idle' } | { kind: 'busy' } | { kind: 'failed' } | { kind: 'done'; reply: TriedReply }

/** A form with what the interface takes; sent from this page, as oneself or with a key. */
export function TryIt({
  operation,
  draft,
  onDraft,
}: {
  operation: Operation
  draft: RequestDraft
  onDraft: (draft: RequestDraft) => void
}) {
  const { t } = useTranslation('developer')
  const id = useId()
  const [sender, setSender] = useState<Sender['kind']>(senderKind)
  const [key, setKey] = useState(pastedKey)
  const [files, setFiles] = useState<ReadonlyMap<string, File>>(new Map())
  const [problems, setProblems] = useState<DraftProblem[]>([])
  const [state, setState] = useState<State>({ kind: 'idle' })
  const [asking, setAsking] = useState(false)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const change = (part: 'path' | 'query' | 'fields', name: string, value: string) => {
    setProblems(before => before.filter(each => !(each.where === part && each.name === name)))
    onDraft({ ...draft, [part]: { ...draft[part], [name]: value } })
  }
  const send = async () => {
    setAsking(false)
    const abort = new AbortController()
    running.current = abort
    setState({ kind: 'busy' })
    try {
      const request = requestOf(operation, draft, location.origin)
      const as: Sender = sender === 'key' ? { kind: 'key', key } : { kind: 'session' }
      setState({ kind: 'done', reply: await sendRequest(request, as, files, abort.signal) })
    } catch {
      setState(abort.signal.aborted ? { kind: 'idle' } : { kind: 'failed' })
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = problemsOf(operation, draft, [...files.keys()])
    setProblems(found)
    if (found.length > 0) {
      const { where, name } = found[0]!
      document.getElementById(`${id}-${where}-${name}`)?.focus()
      return
    }
    if (operation.method !== 'GET' && operation.permission !== null && !unasked) setAsking(true)
    else void send()
  }
  const problemOf = (where: DraftProblem['where'], name: string) =>
    problems.find(each => each.where === where && each.name === name)
  const complaint = (where: DraftProblem['where'], name: string) => {
    const problem = problemOf(where, name)
    return (
      problem && (
        <span className={own.complaint} role="alert">
          {t(`explorer.${problem.kind}`)}
        </span>
      )
    )
  }
  const textField = (where: 'path' | 'query' | 'fields', name: string, type: string, required: boolean) => (
    <div className={css.field} key={`${where}.${name}`}>
      <label htmlFor={`${id}-${where}-${name}`} className={required ? own.needed : undefined}>
        <code>{name}</code> <small title={type}>{type}</small>
      </label>
      <Input
        id={`${id}-${where}-${name}`}
        value={draft[where][name] ?? ''}
        maxLength={2000}
        spellCheck={false}
        autoComplete="off"
        {...(problemOf(where, name) ? { status: 'error' as const } : {})}
        onChange={event => change(where, name, event.target.value)}
      />
      {complaint(where, name)}
    </div>
  )
  const takes = operation.parameters.filter(each => each.in !== 'header')
  return (
    <form onSubmit={submit} noValidate>
      {takes.length > 0 && (
        <div className={css.fields}>
          {takes.map(({ name, in: where, schema, required }) =>
            textField(where as 'path' | 'query', name, typeWord(schema ?? {}), required === true),
          )}
        </div>
      )}
      {operation.body && isJson(operation) && (
        <div className={css.field}>
          <label htmlFor={`${id}-json-`}>{t('explorer.jsonBody')}</label>
          <Input.TextArea
            id={`${id}-json-`}
            className={css.json ?? ''}
            autoSize={{ minRows: 4, maxRows: 18 }}
            value={draft.json}
            maxLength={1_000_000}
            spellCheck={false}
            {...(problemOf('json', '') ? { status: 'error' as const } : {})}
            onChange={event => {
              setProblems([])
              onDraft({ ...draft, json: event.target.value })
            }}
          />
          {complaint('json', '')}
        </div>
      )}
      {operation.body && !isJson(operation) && (
        <div className={css.fields}>
          {formFields(operation).map(({ name, schema, required }) =>
            isFile(schema) ? (
              <div className={css.field} key={name}>
                <label htmlFor={`${id}-fields-${name}`} className={required ? own.needed : undefined}>
                  <code>{name}</code> <small>{t('explorer.file')}</small>
                </label>
                <input
                  id={`${id}-fields-${name}`}
                  type="file"
                  onChange={event => {
                    const file = event.target.files?.[0]
                    setFiles(before => {
                      const next = new Map(before)
                      if (file) next.set(name, file)
                      else next.delete(name)
                      return next
                    })
                  }}
                />
                {complaint('fields', name)}
              </div>
            ) : (
              textField('fields', name, typeWord(schema), required)
            ),
          )}
        </div>
      )}
      {operation.permission !== null && (
        <div className={css.sender}>
          <Segmented
            aria-label={t('explorer.sendAs')}
            value={sender}
            options={(['session', 'key'] as const).map(value => ({ value, label: t(`explorer.as.${value}`) }))}
            onChange={value => {
              senderKind = value
              setSender(value)
            }}
          />
          {sender === 'key' && (
            <Input.Password
              aria-label={t('explorer.as.key')}
              placeholder="twk_…"
              autoComplete="off"
              maxLength={4096}
              value={key}
              onChange={event => {
                pastedKey = event.target.value
                setKey(event.target.value)
              }}
            />
          )}
        </div>
      )}
      <div className={css.sendRow}>
        <Button type="primary" htmlType="submit" loading={state.kind === 'busy'} data-testid="try">
          {t('explorer.send')}
        </Button>
        {state.kind === 'busy' && <Button onClick={() => running.current?.abort()}>{t('cancel')}</Button>}
        <span className={css.quiet}>{t(operation.method === 'GET' ? 'explorer.readHint' : 'explorer.writeHint')}</span>
      </div>
      {state.kind === 'failed' && (
        <p className={own.complaint} role="alert">
          {t('explorer.unreachable')}
        </p>
      )}
      {state.kind === 'done' && <ReplyView reply={state.reply} />}
      {asking && (
        <AskWrite
          text={`${operation.method} ${operation.path}`}
          danger={operation.method === 'DELETE'}
          onSend={() => void send()}
          onClose={() => setAsking(false)}
        />
      )}
    </form>
  )
}

/** Whoever tries a write changes real data: said once, then left to the person. */
function AskWrite({
  text,
  danger,
  onSend,
  onClose,
}: {
  text: string
  danger: boolean
  onSend: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('developer')
  const [quiet, setQuiet] = useState(false)
  return (
    <Modal
      open
      width={480}
      title={t('explorer.askTitle')}
      okText={t('explorer.send')}
      cancelText={t('cancel')}
      okButtonProps={{ danger }}
      onOk={() => {
        unasked = quiet
        onSend()
      }}
      onCancel={onClose}
    >
      <p className={css.text}>{t('explorer.askText')}</p>
      <p className={css.mono}>{text}</p>
      <Checkbox checked={quiet} onChange={event => setQuiet(event.target.checked)}>
        {t('explorer.dontAsk')}
      </Checkbox>
    </Modal>
  )
}
