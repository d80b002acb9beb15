import type { Scalar, Scene, SceneNode } from '@thingwright/scene'
import { createContext, useContext } from 'react'
import type { ValueStore } from './value-store.ts'

/** A point of a curve: time, average, least and largest value. */
export type SeriesPoint = readonly [ts: number, value: number, min: number, max: number]

export interface ShownAlarm {
  id: string
  level: number
  name: string
  device: string
  raisedAt: string
  acknowledged: boolean
}

export interface DeviceChoice {
  role: string
  name: string
  deviceId: string | null
  devices: readonly { id: string; name: string }[]
}

export interface PageTask {
  id: string
  name: string
  state: 'enabled' | 'disabled' | 'error' | 'ended'
  nextRunAt: string | null
}

/** What only somebody who is signed in gets, with his own rights. */
export interface PagePerson {
  tasks(role: string): Promise<{ items: readonly PageTask[]; mayChange: boolean }>
  setTask(id: string, on: boolean): Promise<void>
  /** A short-lived address of a camera's live picture. */
  camera(channel: string): Promise<{ url: string; expiresAt: string | null }>
  /** For requests of the picture. */
  authorization(): string
}

/** Above this many elements nothing moves by itself: a page that stutters says less than one that stands still. */
export const MOST_MOVING = 200

/** What a scene is shown with. */
export interface SceneSurroundings {
  /** What elements need to know of the page; it stays the same while elements are moved. */
  scene: Pick<Scene, 'roles' | 'hosts'>
  /** Nothing moves by itself ({@link MOST_MOVING}). */
  crowded: boolean
  store: ValueStore
  language: 'zh' | 'en'
  /** The moment in the past that is shown, epoch ms; null: now. */
  at: number | null
  /** In the editor nothing can be worked. */
  editing: boolean
  /** Does what the element's events say. @param value what it was set to */
  happen(node: SceneNode, on: SceneNode['events'][number]['on'], value?: Scalar): void
  /** An element waits for its device. */
  busy(nodeId: string): boolean
  /** How often something that an element was set to was not done: it shows the device's value again. */
  givenUp(nodeId: string): number
  series(key: string, hours: number): Promise<readonly SeriesPoint[]>
  alarms(): Promise<readonly ShownAlarm[]>
  choices: readonly DeviceChoice[]
  chooseDevice(role: string, deviceId: string): void
  /** null: nobody is signed in. */
  person: PagePerson | null
}

const Context = createContext<SceneSurroundings | null>(null)
export const SceneProvider = Context.Provider

export function useScene(): SceneSurroundings {
  const found = useContext(Context)
  if (!found) throw new Error('a part of a scene stands outside of one')
  return found
}
