import type { CommandView } from '@thingwright/contracts/commands.contract'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Switch } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLiveTopic } from '../../../lib/live-socket.ts'
import { withKnown } from './known-commands.ts'
import css from './simulator.module.css'
import type { Simulator } from './use-simulator.ts'

const SHOWN = 8

/** Commands that reached the simulated device, and its answers: by hand, or done at once. */
export function SimulatedCommands({ device, simulator }: { device: Pick<DeviceView, 'id'>; simulator: Simulator }) {
  const { t } = useTranslation('diagnose')
  const [commands, setCommands] = useState<CommandView[]>([])
  const [auto, setAuto] = useState(true)
  const answered = useRef(new Set<string>())
  const { act, on } = simulator
  useLiveTopic(on ? `device/${device.id}/commands` : null, event => {
    if (event.type === 'snapshot') {
      const { items = [] } = (event.snapshot ?? {}) as { items?: CommandView[] }
      setCommands(before => withKnown(before, items).slice(0, SHOWN))
    }
    if (event.type !== 'patch') return
    const command = event.patch as unknown as CommandView
    setCommands(before => [command, ...before.filter(each => each.id !== command.id)].slice(0, SHOWN))
  })
  const answer = (command: CommandView, code: number) => {
    answered.current.add(command.id)
    void act({
      kind: 'reply',
      commandId: command.id,
      code,
      ...(code === 0 ? {} : { message: t('simulator.failReason') }),
    }).then(async taken => {
      // A real device reports what was set.
      if (taken && code === 0 && command.kind === 'property_set')
        await act({ kind: 'property', values: command.params })
    })
  }
  const latest = useRef(answer)
  latest.current = answer
  useEffect(() => {
    if (!auto || !on) return
    for (const command of commands)
      if (command.state === 'sent' && !answered.current.has(command.id)) latest.current(command, 0)
  }, [commands, auto, on])
  return (
    <div>
      <div className={css.tools}>
        <b>{t('simulator.commands')}</b>
        <span className={css.field}>
          <Switch aria-label={t('simulator.autoAnswer')} size="small" checked={auto} onChange={setAuto} />
          {t('simulator.autoAnswer')}
        </span>
      </div>
      {commands.length === 0 ? (
        <p className={css.none}>{t('simulator.noCommands')}</p>
      ) : (
        <ul className={css.list}>
          {commands.map(command => (
            <li key={command.id}>
              <code>{command.kind === 'service' ? command.identifier : command.kind}</code>
              <code className={css.params}>{JSON.stringify(command.params)}</code>
              {command.state === 'sent' || command.state === 'delivered' ? (
                <span className={css.answers}>
                  <Button size="small" disabled={!on} onClick={() => answer(command, 0)}>
                    {t('simulator.answerOk')}
                  </Button>
                  <Button size="small" disabled={!on} onClick={() => answer(command, 1)}>
                    {t('simulator.answerFail')}
                  </Button>
                </span>
              ) : (
                <span className={css.answers}>{t('simulator.answered')}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
