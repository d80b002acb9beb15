import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Checkbox, Input, Segmented, Select, Switch } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { Panel } from '../../../ui/panel.tsx'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { useThingModel } from '../hooks.ts'
import { PropertyControl } from '../live/property-control.tsx'
import { PropertyForm } from '../live/property-form.tsx'
import { hexBytes, toHex } from '../terminal/bytes.ts'
import { sampleOf, varied } from './sample-value.ts'
import { SimulatedCommands } from './simulated-commands.tsx'
import css from './simulator.module.css'
import { useSimulator } from './use-simulator.ts'

const EVERY = [1, 5, 10, 60] as const

/** A person acts as this device: values, events, raw bytes, answers to commands. */
export function SimulatorPanel({ device }: { device: DeviceView }) {
  const { t } = useTranslation('diagnose')
  const english = locale() === 'en'
  const { model } = useThingModel(device.productId)
  const simulator = useSimulator(device)
  const properties = useMemo(() => model?.properties ?? [], [model])
  const [values, setValues] = useState<Record<string, unknown>>({})
  const [everySeconds, setEverySeconds] = useState<(typeof EVERY)[number]>(5)
  const [running, setRunning] = useState(false)
  const [vary, setVary] = useState(true)
  const [form, setForm] = useState<string | null>(null)
  const [event, setEvent] = useState<string | null>(null)
  const [params, setParams] = useState('{}')
  const [raw, setRaw] = useState('')

  const shownOf = (identifier: string) => {
    if (identifier in values) return values[identifier]
    const property = properties.find(each => each.identifier === identifier)
    return property ? sampleOf(property) : undefined
  }
  const all = (): Record<string, unknown> =>
    Object.fromEntries(
      properties.flatMap(({ identifier, access }) => {
        const value = access === 'w' ? undefined : shownOf(identifier)
        return value === undefined ? [] : [[identifier, value]]
      }),
    )
  const report = useRef(async () => false)
  report.current = async () => {
    const next = vary
      ? Object.fromEntries(
          properties.flatMap(property => {
            const value = all()[property.identifier]
            return value === undefined ? [] : [[property.identifier, varied(property, value, Math.random())]]
          }),
        )
      : all()
    setValues(before => ({ ...before, ...next }))
    return simulator.act({ kind: 'property', values: next })
  }
  const { on } = simulator
  useEffect(() => {
    if (!running || !on) return
    let stopped = false
    const step = async () => {
      if (stopped) return
      // Refused once, refused every time: the person is to look first.
      if (await report.current()) timer = setTimeout(() => void step(), everySeconds * 1_000)
      else setRunning(false)
    }
    let timer = setTimeout(() => void step(), 0)
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [running, everySeconds, on])

  const parsed = parseObject(params)
  const rawBytes = hexBytes(raw)
  const formProperty = properties.find(({ identifier }) => identifier === form)
  return (
    <Panel
      title={t('simulator.title')}
      hint={t('simulator.hint')}
      actions={
        <Button
          type={on ? 'default' : 'primary'}
          loading={simulator.busy}
          onClick={() => {
            setRunning(false)
            void simulator.act({ kind: on ? 'close' : 'open' })
          }}
        >
          {on ? t('simulator.stop') : t('simulator.start')}
        </Button>
      }
    >
      <div className={css.state} data-on={on} role="status" data-testid="simulator">
        <span className={css.lamp} aria-hidden="true" />
        <span>
          <b>{on ? t('simulator.on') : t('simulator.off')}</b>
          <span>{on ? t('simulator.onText') : t('simulator.offText')}</span>
        </span>
        {simulator.last && (
          <span className={css.outcome} data-refused={simulator.last.reason !== null} data-testid="simulator-outcome">
            {simulator.last.reason === null
              ? t('simulator.stored')
              : t('simulator.refused', {
                  reason: t(`reason.${simulator.last.reason}`, { defaultValue: simulator.last.reason }),
                })}
          </span>
        )}
      </div>
      {properties.length === 0 ? (
        <p className={css.none}>{t('simulator.noModel')}</p>
      ) : (
        <>
          <div className={css.tools}>
            <Button disabled={!on} onClick={() => void simulator.act({ kind: 'property', values: all() })}>
              {t('simulator.sendAll')}
            </Button>
            <span className={css.field}>
              <Switch
                aria-label={t('simulator.auto')}
                size="small"
                checked={running && on}
                disabled={!on}
                onChange={setRunning}
              />
              {t('simulator.auto')}
            </span>
            <Segmented
              size="small"
              aria-label={t('simulator.auto')}
              value={everySeconds}
              options={EVERY.map(value => ({ value, label: t('simulator.every', { seconds: value }) }))}
              onChange={setEverySeconds}
            />
            <Checkbox checked={vary} onChange={change => setVary(change.target.checked)}>
              {t('simulator.vary')}
            </Checkbox>
          </div>
          <div className={css.grid}>
            {properties
              .filter(({ access }) => access !== 'w')
              .map(property => (
                <div key={property.identifier} className={css.property}>
                  <span className={css.name} title={property.identifier}>
                    {nameOf(property, english)}
                  </span>
                  <span className={css.control}>
                    <PropertyControl
                      property={{ ...property, access: 'rw' }}
                      value={shownOf(property.identifier)}
                      busy={false}
                      onSet={value => setValues(before => ({ ...before, [property.identifier]: value }))}
                      onForm={() => setForm(property.identifier)}
                    />
                  </span>
                  <Button
                    size="small"
                    disabled={!on || shownOf(property.identifier) === undefined}
                    aria-label={`${t('simulator.sendOne')} ${property.identifier}`}
                    onClick={() =>
                      void simulator.act({
                        kind: 'property',
                        values: { [property.identifier]: shownOf(property.identifier) },
                      })
                    }
                  >
                    {t('simulator.sendOne')}
                  </Button>
                </div>
              ))}
          </div>
        </>
      )}
      {(model?.events.length ?? 0) > 0 && (
        <div className={css.line}>
          <Select
            aria-label={t('simulator.events')}
            placeholder={t('simulator.events')}
            style={{ minWidth: 180 }}
            value={event}
            options={(model?.events ?? []).map(each => ({ value: each.identifier, label: nameOf(each, english) }))}
            onChange={setEvent}
          />
          <Input
            className={css.mono}
            aria-label={t('simulator.params')}
            title={parsed ? t('simulator.params') : t('simulator.badJson')}
            value={params}
            {...(parsed ? {} : { status: 'error' as const })}
            onChange={change => setParams(change.target.value)}
          />
          <Button
            disabled={!on || event === null || parsed === null}
            onClick={() => event && parsed && void simulator.act({ kind: 'event', identifier: event, params: parsed })}
          >
            {t('simulator.raise')}
          </Button>
        </div>
      )}
      <div className={css.line}>
        <Input
          className={css.mono}
          aria-label={t('simulator.raw')}
          placeholder={t('simulator.raw')}
          value={raw}
          {...(rawBytes ? {} : { status: 'error' as const })}
          onChange={change => setRaw(change.target.value)}
        />
        <Button
          disabled={!on || !rawBytes || rawBytes.length === 0}
          onClick={() => rawBytes && void simulator.act({ kind: 'raw', hex: toHex(rawBytes) })}
        >
          {t('simulator.sendRaw')}
        </Button>
      </div>
      <SimulatedCommands device={device} simulator={simulator} />
      {formProperty && (
        <PropertyForm
          property={formProperty}
          value={shownOf(formProperty.identifier)}
          onSet={value => setValues(before => ({ ...before, [formProperty.identifier]: value }))}
          onClose={() => setForm(null)}
        />
      )}
    </Panel>
  )
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
