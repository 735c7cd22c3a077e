import { expect, test } from 'vitest'
import { readFrame } from '../../../src/dev/jobs/action/frames.ts'

test('a frame is read with keys in any case; unknown ones are ignored', () => {
  expect(readFrame('{"STDIN":{"Data":"aGk=","close":true},"tty_size":{"Height":1,"width":2},"more":1}')).toEqual({
    input: Buffer.from('hi'),
    closeInput: true,
    size: { height: 1, width: 2 },
  })
  expect(readFrame('{}')).toEqual({})
  expect(readFrame('{"stdin":null,"tty_size":null}')).toEqual({})
})

test.for(['***', 'aGk', 'aG*='])('input %s is not base64', (data) => {
  expect(() => readFrame(JSON.stringify({ stdin: { data } }))).toThrow('illegal base64 data')
})

test.for(['{"stdin":"x"}', '{"stdin":{"data":1}}', '{"stdin":{"close":"yes"}}', '[]'])('%s is refused', (text) => {
  expect(() => readFrame(text)).toThrow('not a')
})

test('a frame that is not JSON is refused', () => {
  expect(() => readFrame('hello')).toThrow()
})
