import type { AlarmLevel } from '@thingwright/contracts/alarms.contract'

type Sound = AlarmLevel['sound']

/** Tones of a sound: frequency in Hz, begin and length in s. */
const TONES: Record<Exclude<Sound, 'none'>, readonly [hz: number, at: number, length: number][]> = {
  chime: [
    [880, 0, 0.25],
    [660, 0.25, 0.4],
  ],
  bell: [0, 0.4, 0.8].map(at => [1046, at, 0.35] as [number, number, number]),
  siren: [0, 0.5, 1, 1.5].flatMap(at => [[600, at, 0.25] as const, [900, at + 0.25, 0.25] as const]) as [
    number,
    number,
    number,
  ][],
}

let context: AudioContext | null = null

/** Whether the browser plays sounds on this page; it does after a click, so call it from one. */
export async function allowSounds(): Promise<boolean> {
  if (!('AudioContext' in window)) return false
  context ??= new AudioContext()
  await context.resume()
  return context.state === 'running'
}

/** Plays a sound of a level, made here: nothing is downloaded. Silent until `allowSounds` succeeded. */
export function playSound(sound: Sound): void {
  if (sound === 'none' || context?.state !== 'running') return
  const now = context.currentTime
  for (const [hz, at, length] of TONES[sound]) {
    const tone = context.createOscillator()
    const gain = context.createGain()
    tone.frequency.value = hz
    gain.gain.setValueAtTime(0.0001, now + at)
    gain.gain.exponentialRampToValueAtTime(0.25, now + at + 0.02)
    gain.gain.exponentialRampToValueAtTime(0.0001, now + at + length)
    tone.connect(gain).connect(context.destination)
    tone.start(now + at)
    tone.stop(now + at + length)
  }
}
