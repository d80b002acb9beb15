import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { Property } from '@thingwright/thing-model/model'
import { Button, Select, Switch } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { every } from '../../lib/every.ts'
import { locale } from '../../lib/i18n.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { InputNumber } from '../../ui/input-number.tsx'
import { boolWords, nameOf } from '../../ui/schema-form/from-thing-model.ts'
import css from './portal.module.css'

/** How often the state of a command that has not ended is read, ms. */
const ASK_EVERY_MS = 1_000
const RUNNING: ReadonlySet<CommandView['state']> = new Set(['queued', 'sent', 'delivered'])

interface ControlProps {
  id: string
  property: Property
  value: unknown
  /** Called when the device has done what was sent. */
  onDone: () => void
}

/** Sets a switch, a number or a level, and says what became of it; other types are set in the console. */
export function Control({ id, property, value, onDone }: ControlProps) {
  const send = useAct('commands.create')
  const { identifier } = property
  const set = (next: unknown) =>
    void send.run({ params: { id }, body: { kind: 'property_set', params: { [identifier]: next } } })
  return (
    <span className={css.control}>
      <span className={css.setting}>
        <Setting property={property} value={value} pending={send.pending} onSet={set} />
      </span>
      {send.reply && <Outcome key={send.reply.id} sent={send.reply} onDone={onDone} />}
    </span>
  )
}

function Setting({
  property,
  value,
  pending,
  onSet,
}: {
  property: Property
  value: unknown
  pending: boolean
  onSet: (value: unknown) => void
}) {
  const { t } = useTranslation('portal')
  const [number, setNumber] = useState<number | null>(null)
  const { dataType } = property
  const english = locale() === 'en'
  const label = nameOf(property, english)
  if (dataType.type === 'bool') {
    const words = boolWords(dataType, english)
    return (
      <Switch
        aria-label={label}
        checked={value === true}
        loading={pending}
        title={value === true ? (words.on ?? t('yes')) : (words.off ?? t('no'))}
        onChange={onSet}
      />
    )
  }
  if (dataType.type === 'enum')
    return (
      <Select
        aria-label={label}
        style={{ width: 120 }}
        value={value as string | number | undefined}
        loading={pending}
        options={dataType.items.map(item => ({
          value: item.value,
          label: english ? item.ename || item.name : item.name,
        }))}
        onChange={onSet}
      />
    )
  if (dataType.type === 'int32' || dataType.type === 'float' || dataType.type === 'double')
    return (
      <>
        <InputNumber
          aria-label={label}
          style={{ width: 96 }}
          value={number}
          {...(dataType.min === undefined ? {} : { min: dataType.min })}
          {...(dataType.max === undefined ? {} : { max: dataType.max })}
          onChange={setNumber}
        />
        <Button disabled={number === null} loading={pending} onClick={() => onSet(number)}>
          {t('set')}
        </Button>
      </>
    )
  return null
}

/** What became of a command, read until it has ended. */
function Outcome({ sent, onDone }: { sent: CommandView; onDone: () => void }) {
  const { t } = useTranslation('portal')
  const read = useRead(
    'commands.get',
    { params: { id: sent.deviceId, commandId: sent.id } },
    {
      refetchInterval: query =>
        RUNNING.has(query.state.data?.state ?? sent.state) ? every(ASK_EVERY_MS)(query) : false,
    },
  )
  const { state, errorMessage } = read.data ?? sent
  // Only the moment counts: the values are read again once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function for the same moment changes nothing
  useEffect(() => {
    if (state === 'succeeded') onDone()
  }, [state])
  return (
    <small role="status" dir="auto">
      {errorMessage ? `${t(`outcome.${state}`)} · ${errorMessage}` : t(`outcome.${state}`)}
    </small>
  )
}
