import { alarmSign } from '@thingwright/scene'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Shapes } from '../ui/scene/shapes.tsx'
import css from './page.module.css'
import type { PageMessage } from './socket.ts'
import words from './words.json' with { type: 'json' }

interface Message extends PageMessage {
  id: number
}

/** What is spoken is shown so long, ms; a popup stays until it is closed. */
const SPOKEN_MS = 15_000
const MOST = 5

/** Texts that triggers show or speak. Browsers speak only after the visitor has pressed something once. */
export function useMessages(language: 'zh' | 'en') {
  const [messages, setMessages] = useState<readonly Message[]>([])
  const last = useRef(0)
  const unspoken = useRef<string[]>([])
  const close = useCallback((id: number) => setMessages(before => before.filter(each => each.id !== id)), [])

  const speak = useCallback(
    (text: string) => {
      if (!('speechSynthesis' in window)) return
      const said = new SpeechSynthesisUtterance(text)
      said.lang = language === 'zh' ? 'zh-CN' : 'en-GB'
      window.speechSynthesis.speak(said)
    },
    [language],
  )
  useEffect(() => {
    const pressed = () => {
      for (const text of unspoken.current.splice(0)) speak(text)
    }
    window.addEventListener('pointerdown', pressed)
    window.addEventListener('keydown', pressed)
    return () => {
      window.removeEventListener('pointerdown', pressed)
      window.removeEventListener('keydown', pressed)
    }
  }, [speak])

  const add = useCallback(
    (message: PageMessage) => {
      const id = ++last.current
      setMessages(before => [...before, { ...message, id }].slice(-MOST))
      if (message.kind !== 'speak') return
      setTimeout(() => close(id), SPOKEN_MS)
      if (navigator.userActivation?.hasBeenActive === false) unspoken.current = [message.text]
      else speak(message.text)
    },
    [close, speak],
  )
  return { messages, add, close }
}

export function Messages({
  messages,
  language,
  onClose,
}: {
  messages: readonly Message[]
  language: 'zh' | 'en'
  onClose(id: number): void
}) {
  const t = words[language]
  if (messages.length === 0) return null
  return (
    <div className={css.messages} role="alert">
      {messages.map(({ id, kind, text, level }) => (
        <div key={id} className={css.message} data-level={level}>
          {level > 0 && <Shapes shapes={alarmSign(level, 28, 28)} w={28} h={28} />}
          <p>
            {text}
            {kind === 'speak' && navigator.userActivation?.hasBeenActive === false && <small>{t.soundOff}</small>}
          </p>
          <button type="button" className={css.plain} onClick={() => onClose(id)}>
            {t.close}
          </button>
        </div>
      ))}
    </div>
  )
}
