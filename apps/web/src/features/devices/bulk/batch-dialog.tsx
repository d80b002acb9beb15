import type { BatchTarget, DeviceChange } from '@thingwright/contracts/device-batches.contract'
import { Select } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { GroupSelect } from '../../../ui/group-tree/group-select.tsx'
import { InputNumber } from '../../../ui/input-number.tsx'
import { BatchDrawer } from './batch-drawer.tsx'
import css from './bulk.module.css'
import { ProductChange } from './product-change.tsx'
import { type FormProps, Question } from './question.tsx'

export type BatchKind = DeviceChange['action']

export interface BatchAsk {
  kind: BatchKind
  target: BatchTarget
  count: number
  /** Tags that the chosen devices have, to take away. */
  tags: readonly string[]
}

/** A batch from its question to its end. What cannot be undone asks for the number of devices to be typed. */
export function BatchDialog({
  ask,
  onChanged,
  onClose,
}: {
  ask: BatchAsk
  onChanged: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('bulk')
  const { kind, target, count } = ask
  const [started, setStarted] = useState<{ id: string; taskId: string } | null>(null)
  const create = useAct('deviceBatches.create', { done: setStarted })
  const title = t(`ask.${kind}`, { count, text: formatNumber(count) })
  const run = (change: DeviceChange) => create.run({ body: { target, change, expected: count } })
  if (started) return <BatchDrawer title={title} started={started} onChanged={onChanged} onClose={onClose} />
  if (kind === 'purge' || (kind === 'recycle' && count > TYPED_FROM))
    return (
      <ConfirmTyped
        open
        title={title}
        expected={String(count)}
        confirmText={t(`action.${kind}`)}
        onCancel={onClose}
        onConfirm={() => run({ action: kind })}
      >
        <p>{t(`text.${kind}`)}</p>
      </ConfirmTyped>
    )
  const common = { title, busy: create.pending, okText: t(`action.${kind}`), onClose }
  const send = (change: DeviceChange) => void run(change)
  if (kind === 'move') return <MoveForm {...common} onRun={send} />
  if (kind === 'tags') return <TagForm {...common} present={ask.tags} onRun={send} />
  if (kind === 'offlineDelay') return <DelayForm {...common} onRun={send} />
  if (kind === 'product') return <ProductChange {...common} target={target} onRun={send} />
  return (
    <Question {...common} danger={kind === 'disable' || kind === 'recycle'} onOk={() => send({ action: kind })}>
      <p>{t(`text.${kind}`)}</p>
    </Question>
  )
}

/** From so many devices on their removal is typed, not clicked. */
const TYPED_FROM = 100

function MoveForm({ onRun, ...rest }: FormProps) {
  const { t } = useTranslation('bulk')
  const id = useId()
  const [groupId, setGroupId] = useState<string | null>(null)
  return (
    <Question {...rest} onOk={() => onRun({ action: 'move', groupId })}>
      <label className={css.label} htmlFor={id}>
        {t('group')}
      </label>
      <GroupSelect id={id} kind="device" value={groupId} onChange={setGroupId} placeholder={t('noGroup')} />
    </Question>
  )
}

function TagForm({ present, onRun, ...rest }: FormProps & { present: readonly string[] }) {
  const { t } = useTranslation('bulk')
  const [addId, removeId] = [useId(), useId()]
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  const options = present.map(tag => ({ value: tag, label: tag }))
  const clean = (tags: string[]) => [...new Set(tags.map(tag => tag.trim().slice(0, 32)).filter(tag => tag !== ''))]
  return (
    <Question {...rest} disabled={add.length + remove.length === 0} onOk={() => onRun({ action: 'tags', add, remove })}>
      <label className={css.label} htmlFor={addId}>
        {t('tagsAdd')}
      </label>
      <Select
        id={addId}
        mode="tags"
        style={{ width: '100%' }}
        maxCount={20}
        value={add}
        tokenSeparators={[',', '\uff0c', ' ']}
        options={options}
        onChange={(tags: string[]) => setAdd(clean(tags))}
      />
      <label className={css.label} htmlFor={removeId}>
        {t('tagsRemove')}
      </label>
      <Select
        id={removeId}
        mode="tags"
        style={{ width: '100%' }}
        maxCount={20}
        value={remove}
        options={options}
        onChange={(tags: string[]) => setRemove(clean(tags))}
      />
    </Question>
  )
}

function DelayForm({ onRun, ...rest }: FormProps) {
  const { t } = useTranslation('bulk')
  const id = useId()
  const [seconds, setSeconds] = useState<number | null>(null)
  return (
    <Question {...rest} onOk={() => onRun({ action: 'offlineDelay', seconds })}>
      <label className={css.label} htmlFor={id}>
        {t('offlineDelay')}
      </label>
      <InputNumber
        id={id}
        min={10}
        max={604_800}
        precision={0}
        value={seconds}
        style={{ width: 200 }}
        onChange={setSeconds}
      />
      <p className={css.hint}>{t('offlineDelayHint')}</p>
    </Question>
  )
}
