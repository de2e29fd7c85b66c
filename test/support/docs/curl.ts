// Stands in for curl where it is not installed: the few options that the reference uses.

const words = process.argv.slice(2)
const headers = new Headers()
let method = 'GET'
let body: string | undefined
let url = ''
while (words.length > 0) {
  const word = words.shift()!
  const value = (): string => words.shift() ?? ''
  if (word === '-X') method = value()
  else if (word === '-d') body = value()
  else if (word === '-H') headers.append(...(value().split(/: */, 2) as [string, string]))
  else if (word.startsWith('http')) url = word
  else if (word !== '-i' && word !== '-s') throw new Error(`curl: ${word} is unknown here`)
}
const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`)
process.stdout.write(`HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines.join('')}\r\n`)
process.stdout.write(await response.text())
