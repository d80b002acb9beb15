import { Alert, Input, Modal, Select } from 'antd'
import { useDeferredValue, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { formatDuration, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import css from '../alarms.module.css'
import { useAssignees } from '../hooks.ts'
import { SHELVE_MINUTES } from '../lists.ts'
import { sendBatch } from '../send-batch.ts'
import { PhotoChoice } from './photo-choice.tsx'

/** What is asked about one alarm or several. */
export interface AlarmAsk {
  action: 'clear' | 'assign' | 'handle' | 'ignore' | 'shelve' | 'unshelve'
  ids: readonly string[]
  count: number
  /** Of the alarm, when it is one. */
  name?: string
}

const MAX_TEXT = 2000

/** Asks what an action needs, does it, and says how many alarms it was done to. */
export function ActionDialog({ ask, onClose }: { ask: AlarmAsk; onClose: () => void }) {
  const { t } = useTranslation('alarms')
  const { action, ids, count } = ask
  const id = useId()
  const [text, setText] = useState('')
  const [assigneeId, setAssigneeId] = useState<string | null>(null)
  const [minutes, setMinutes] = useState<number>(SHELVE_MINUTES[1])
  const [photoIds, setPhotoIds] = useState<string[]>([])
  const [missing, setMissing] = useState(false)
  const { attempt, pending, error } = useWork({ touches: ['alarms'], notice: false })
  const facts = error === null ? null : errorFacts(error)
  const note = text.trim()
  const run = () =>
    attempt(async () => {
      if (action === 'handle' && ids.length === 1)
        await call('alarms.handle', { params: { id: ids[0]! }, body: { result: note, photoIds } })
      else {
        const { done, failed } = await sendBatch(
          {
            action,
            ...(note === '' ? {} : { text: note }),
            ...(action === 'assign' ? { assigneeId } : {}),
            ...(action === 'shelve' ? { minutes } : {}),
          },
          ids,
        )
        if (failed.length > 0) {
          notify.warning(
            t('partly', { done: formatNumber(done), failed: formatNumber(failed.length), why: failed[0]!.message }),
          )
          return onClose()
        }
      }
      notify.success(t(`did.${action}`, { count, text: formatNumber(count) }))
      onClose()
    })
  const submit = () => {
    if (action === 'handle' && note === '') return setMissing(true)
    void run()
  }
  return (
    <Modal
      open
      width={480}
      title={t(`ask.${action}`, { name: ask.name ?? t('alarmsCount', { count, text: formatNumber(count) }) })}
      okText={t(`act.${action}`)}
      cancelText={t('cancel')}
      okButtonProps={{ danger: action === 'clear', loading: pending }}
      onOk={submit}
      onCancel={onClose}
    >
      <div className={css.dialog}>
        <p>{t(`askText.${action}`)}</p>
        {action === 'assign' && <AssigneeSelect value={assigneeId} onChange={setAssigneeId} />}
        {action === 'shelve' && (
          <div className={css.field}>
            <label htmlFor={`${id}-minutes`}>{t('shelveFor')}</label>
            <Select
              id={`${id}-minutes`}
              value={minutes}
              options={SHELVE_MINUTES.map(value => ({ value, label: formatDuration(value * 60_000) }))}
              onChange={setMinutes}
            />
          </div>
        )}
        {action !== 'unshelve' && (
          <div className={css.field}>
            <label htmlFor={`${id}-text`}>{t(action === 'handle' ? 'result' : 'note')}</label>
            <Input.TextArea
              id={`${id}-text`}
              value={text}
              maxLength={MAX_TEXT}
              autoSize={{ minRows: 3, maxRows: 10 }}
              {...(missing ? { status: 'error' as const } : {})}
              onChange={event => {
                setMissing(false)
                setText(event.target.value)
              }}
            />
            {missing && (
              <span className={css.complaint} role="alert">
                {t('resultMissing')}
              </span>
            )}
          </div>
        )}
        {action === 'handle' && ids.length === 1 && <PhotoChoice value={photoIds} onChange={setPhotoIds} />}
        {facts && (
          <Alert
            type="error"
            showIcon
            role="alert"
            title={facts.message}
            description={<CopyId value={facts.requestId ? `${facts.code} · ${facts.requestId}` : facts.code} />}
          />
        )}
      </div>
    </Modal>
  )
}

function AssigneeSelect({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  const { t } = useTranslation('alarms')
  const id = useId()
  const [typed, setTyped] = useState('')
  const members = useAssignees(useDeferredValue(typed.trim()))
  return (
    <div className={css.field}>
      <label htmlFor={id}>{t('assignee')}</label>
      <Select
        id={id}
        value={value}
        allowClear
        placeholder={t('nobody')}
        loading={members.isFetching}
        showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
        options={(members.data?.items ?? []).map(member => ({
          value: member.id,
          label: member.displayName || member.username || member.id,
        }))}
        onChange={next => {
          setTyped('')
          onChange(next ?? null)
        }}
      />
    </div>
  )
}
