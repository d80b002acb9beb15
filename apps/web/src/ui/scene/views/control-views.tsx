import { numberOf, type Scalar } from '@thingwright/scene'
import { useEffect, useState } from 'react'
import css from '../scene.module.css'
import { useScene } from '../scene-context.ts'
import words from '../words.json' with { type: 'json' }
import type { ViewProps } from './view-props.ts'

/** What a control shows while somebody works it: his own value until the device's comes, or it is not done. */
function useOwn(nodeId: string, value: Scalar): [Scalar, (value: Scalar) => void] {
  const givenUp = useScene().givenUp(nodeId)
  const [own, setOwn] = useState<{ value: Scalar; over: Scalar; givenUp: number } | null>(null)
  useEffect(() => {
    if (own && (own.over !== value || own.givenUp !== givenUp)) setOwn(null)
  }, [own, value, givenUp])
  return [own ? own.value : value, next => setOwn({ value: next, over: value, givenUp })]
}

/** Keys that move a slider. */
const MOVES = /^(Arrow|Page|Home|End)/

const nameOf = ({ look, node }: ViewProps) => look.text('label') || node.name || node.id

export function ButtonView(props: ViewProps) {
  const { look, node } = props
  const { happen, editing, busy } = useScene()
  return (
    <button
      type="button"
      className={css.button}
      style={{ background: look.text('fill'), color: look.text('ink'), fontSize: look.number('size', 16) }}
      disabled={busy(node.id)}
      tabIndex={editing ? -1 : 0}
      onClick={event => {
        event.stopPropagation()
        happen(node, 'click')
      }}
    >
      {look.text('label') || node.name}
    </button>
  )
}

export function SwitchView(props: ViewProps) {
  const { look, node } = props
  const { happen, editing, busy } = useScene()
  const on = look.is('value')
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={nameOf(props)}
      className={css.switch}
      disabled={busy(node.id)}
      tabIndex={editing ? -1 : 0}
      onClick={event => {
        event.stopPropagation()
        happen(node, node.events.some(each => each.on === 'change') ? 'change' : 'click', !on)
      }}
    />
  )
}

export function SliderView(props: ViewProps) {
  const { look, node, shown } = props
  const { happen, editing } = useScene()
  const [value, setValue] = useOwn(node.id, numberOf(shown.value))
  const number = numberOf(value) ?? look.number('min')
  return (
    <label className={css.row}>
      <input
        type="range"
        className={css.range}
        aria-label={nameOf(props)}
        min={look.number('min')}
        max={look.number('max', 100)}
        step={look.number('step', 1)}
        value={number}
        tabIndex={editing ? -1 : 0}
        onChange={event => setValue(Number(event.target.value))}
        onPointerUp={() => happen(node, 'change', number)}
        onKeyUp={event => {
          if (MOVES.test(event.key)) happen(node, 'change', number)
        }}
      />
      <output className={css.unit}>
        {value === null ? '–' : number} {look.text('unit')}
      </output>
    </label>
  )
}

export function StepperView(props: ViewProps) {
  const { look, node, shown } = props
  const { happen, language, editing } = useScene()
  const value = numberOf(shown.value)
  const step = (by: number) => {
    const next = Math.min(look.number('max', 100), Math.max(look.number('min'), (value ?? look.number('min')) + by))
    happen(node, 'change', Math.round(next * 1e6) / 1e6)
  }
  const size = look.number('step', 1)
  return (
    <div className={css.stepper}>
      <button
        type="button"
        className={css.button}
        aria-label={`${nameOf(props)} ${words[language].less}`}
        tabIndex={editing ? -1 : 0}
        onClick={() => step(-size)}
      >
        {'−'}
      </button>
      <span className={css.unit}>
        {value ?? '–'} {look.text('unit')}
      </span>
      <button
        type="button"
        className={css.button}
        aria-label={`${nameOf(props)} ${words[language].more}`}
        tabIndex={editing ? -1 : 0}
        onClick={() => step(size)}
      >
        +
      </button>
    </div>
  )
}

export function InputView(props: ViewProps) {
  const { look, node, shown } = props
  const { happen, language, editing } = useScene()
  const [text, setText] = useState<string | null>(null)
  const isNumber = look.text('form') !== 'text'
  const send = () => {
    if (text === null || text === '') return
    happen(node, 'change', isNumber ? Number(text) : text)
    setText(null)
  }
  return (
    <form
      className={css.row}
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <input
        className={css.field}
        type={isNumber ? 'number' : 'text'}
        step="any"
        aria-label={nameOf(props)}
        placeholder={look.text('label')}
        value={text ?? String(shown.value ?? '')}
        tabIndex={editing ? -1 : 0}
        onChange={event => setText(event.target.value)}
      />
      {look.text('unit') && <span className={css.unit}>{look.text('unit')}</span>}
      <button
        type="submit"
        className={css.button}
        style={{ flex: '0 0 64px' }}
        disabled={text === null}
        tabIndex={editing ? -1 : 0}
      >
        {words[language].set}
      </button>
    </form>
  )
}

/** `value=label`, one a line. */
function optionsOf({ look }: ViewProps): { value: Scalar; label: string }[] {
  return look
    .text('options')
    .split('\n')
    .filter(row => row.trim() !== '')
    .map(row => {
      const [first = '', ...rest] = row.split('=')
      const text = first.trim()
      const value: Scalar = text === 'true' ? true : text === 'false' ? false : (numberOf(text) ?? text)
      return { value, label: rest.join('=').trim() || text }
    })
}

export function SelectView(props: ViewProps) {
  const { node, shown } = props
  const { happen, editing } = useScene()
  const options = optionsOf(props)
  const place = options.findIndex(({ value }) => String(value) === String(shown.value))
  return (
    <select
      className={css.field}
      style={{ height: '100%' }}
      aria-label={nameOf(props)}
      value={place}
      tabIndex={editing ? -1 : 0}
      onChange={event => happen(node, 'change', options[Number(event.target.value)]?.value ?? null)}
    >
      {place === -1 && <option value={-1}>–</option>}
      {options.map(({ value, label }, i) => (
        <option key={String(value)} value={i}>
          {label}
        </option>
      ))}
    </select>
  )
}

export function ChoicesView(props: ViewProps) {
  const { node, shown } = props
  const { happen, editing } = useScene()
  return (
    <div className={css.row} role="radiogroup" aria-label={nameOf(props)}>
      {optionsOf(props).map(({ value, label }) => {
        const chosen = String(value) === String(shown.value)
        return (
          // biome-ignore lint/a11y/useSemanticElements: a row of buttons of which one is pressed
          <button
            key={String(value)}
            type="button"
            role="radio"
            aria-checked={chosen}
            className={css.button}
            style={chosen ? { background: '#1b4396', color: '#ffffff' } : { background: '#ffffff' }}
            tabIndex={editing ? -1 : 0}
            onClick={() => happen(node, 'change', value)}
          >
            {label}
          </button>
        )
      })}
    </div>
  )
}

export function DeviceSwitchView({ look }: ViewProps) {
  const { choices, chooseDevice, language, editing } = useScene()
  const choice =
    choices.find(({ role }) => role === look.text('role')) ?? (look.text('role') === '' ? choices[0] : undefined)
  return (
    <select
      className={css.field}
      style={{ height: '100%' }}
      aria-label={look.text('label') || choice?.name || words[language].chooseDevice}
      value={choice?.deviceId ?? ''}
      tabIndex={editing ? -1 : 0}
      onChange={event => choice && chooseDevice(choice.role, event.target.value)}
    >
      {!choice?.deviceId && <option value="">{words[language].chooseDevice}</option>}
      {choice?.devices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

export function HotAreaView(props: ViewProps) {
  const { node } = props
  const { happen, editing } = useScene()
  return (
    <button
      type="button"
      className={css.fill}
      style={{ background: 'transparent', cursor: 'pointer', border: editing ? '1px dashed #868e98' : 0 }}
      aria-label={nameOf(props)}
      tabIndex={editing ? -1 : 0}
      onClick={event => {
        event.stopPropagation()
        happen(node, 'click')
      }}
    />
  )
}

export function FullScreenView({ look }: ViewProps) {
  const { language, editing } = useScene()
  const toggle = () => {
    if (document.fullscreenElement) void document.exitFullscreen()
    else void document.documentElement.requestFullscreen?.()
  }
  return (
    <button
      type="button"
      className={css.button}
      aria-label={words[language].fullScreen}
      title={words[language].fullScreen}
      tabIndex={editing ? -1 : 0}
      onClick={toggle}
    >
      <svg
        viewBox="0 0 16 16"
        width={20}
        height={20}
        fill="none"
        stroke={look.text('ink')}
        strokeWidth={1.5}
        aria-hidden
      >
        <path d="M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" />
      </svg>
    </button>
  )
}
