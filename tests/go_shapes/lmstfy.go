// lmstfy's API as a client that is built on Go's net/http asks for it: the shapes of requests that lmstfy's own client has, one connection
// that is kept, gzip that is offered.
//
//	lmstfy ERRAND        with ERRAND_STORE, as scripts/lib/with-redis gives it
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const token = "a-token-of-twenty-or-more"

type job struct {
	Namespace   string            `json:"namespace"`
	Queue       string            `json:"queue"`
	Data        []byte            `json:"data"`
	ID          string            `json:"job_id"`
	TTL         int64             `json:"ttl"`
	ElapsedMS   int64             `json:"elapsed_ms"`
	RemainTries int64             `json:"remain_tries"`
	Attributes  map[string]string `json:"attributes"`
}

// Ends with this program, whichever goroutine ends it.
var served *exec.Cmd

func die(format string, what ...any) {
	fmt.Fprintf(os.Stderr, "lmstfy: "+format+"\n", what...)
	if served != nil && served.Process != nil {
		served.Process.Kill()
		served.Process.Wait()
	}
	os.Exit(1)
}

func check(holds bool, format string, what ...any) {
	if !holds {
		die(format, what...)
	}
}

// Where the service says that it listens.
func serve(program string) (api, admin string) {
	served = exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--lmstfy", "127.0.0.1:0",
		"--lmstfy-admin", "127.0.0.1:0", "--access-log", "off")
	served.Stderr = os.Stderr
	said, err := served.StdoutPipe()
	check(err == nil, "%v", err)
	check(served.Start() == nil, "%s cannot be started", program)
	lines := bufio.NewScanner(said)
	for (api == "" || admin == "") && lines.Scan() {
		if _, at, found := strings.Cut(lines.Text(), "lmstfy's API on "); found {
			api = at
		}
		if _, at, found := strings.Cut(lines.Text(), "lmstfy's admin API on "); found {
			admin = at
		}
	}
	check(api != "" && admin != "", "the service does not say where it is")
	return api, admin
}

type client struct {
	http        http.Client
	base        string
	mutex       sync.Mutex
	connections int
}

func newClient(api string) *client {
	return &client{http: http.Client{Transport: &http.Transport{}, Timeout: 600 * time.Second}, base: api + "/api/shop/"}
}

// As the client builds them: the names of the query in alphabetical order, as Values.Encode() writes them.
func (c *client) ask(method, path string, query url.Values, body []byte, headers map[string]string) (int, []byte, http.Header) {
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	request, err := http.NewRequest(method, target, reader)
	check(err == nil, "%v", err)
	request.Header.Add("X-Token", token)
	for name, value := range headers {
		request.Header.Add(name, value)
	}
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			if !got.Reused {
				c.mutex.Lock()
				c.connections++
				c.mutex.Unlock()
			}
		}}))
	answer, err := c.http.Do(request)
	check(err == nil, "%s %s: %v", method, target, err)
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	check(err == nil, "%s %s: %v", method, target, err)
	check(answer.Header.Get("X-Request-ID") != "", "%s %s: no X-Request-ID", method, target)
	return answer.StatusCode, got, answer.Header
}

func (c *client) expect(status int, method, path string, query url.Values, body []byte) []byte {
	got, answer, _ := c.ask(method, path, query, body, nil)
	check(got == status, "%s %s: %d instead of %d: %s", method, path, got, status, answer)
	return answer
}

func terms(ttl, tries, delay int) url.Values {
	return url.Values{"ttl": {strconv.Itoa(ttl)}, "tries": {strconv.Itoa(tries)}, "delay": {strconv.Itoa(delay)}}
}

func consuming(ttr, timeout, count int) url.Values {
	query := url.Values{"ttr": {strconv.Itoa(ttr)}, "timeout": {strconv.Itoa(timeout)}, "freeze_tries": {"false"}}
	if count > 1 {
		query.Add("count", strconv.Itoa(count))
	}
	return query
}

func into(answer []byte, to any) {
	check(json.Unmarshal(answer, to) == nil, "no answer of lmstfy's: %s", answer)
}

func (c *client) publish(queue string, data []byte, query url.Values, headers map[string]string) string {
	status, answer, _ := c.ask("PUT", queue, query, data, headers)
	check(status == http.StatusCreated, "publish: %d %s", status, answer)
	var made struct {
		ID string `json:"job_id"`
	}
	into(answer, &made)
	check(len(made.ID) == 26 || len(made.ID) == 27, "the id %q", made.ID)
	return made.ID
}

func (c *client) consume(queues string, query url.Values) []job {
	status, answer, _ := c.ask("GET", queues, query, nil, nil)
	if status == http.StatusNotFound {
		return nil
	}
	check(status == http.StatusOK, "consume: %d %s", status, answer)
	if query.Has("count") {
		var all []job
		into(answer, &all)
		return all
	}
	var one job
	into(answer, &one)
	return []job{one}
}

func (c *client) size(path string) int64 {
	var got struct {
		Size int64 `json:"size"`
	}
	into(c.expect(http.StatusOK, "GET", path, nil, nil), &got)
	return got.Size
}

func oneJob(c *client) {
	id := c.publish("mail", []byte("hello\x00\xff"), terms(60, 2, 0),
		map[string]string{"Enable-Job-Version": "YES", "Job-Attr-Flag": "1", "Job-Attr-Empty": ""})
	check(c.size("mail/size") == 1, "size")
	var seen job
	into(c.expect(http.StatusOK, "GET", "mail/peek", nil, nil), &seen)
	check(seen.ID == id && seen.RemainTries == 2, "peek: %+v", seen)
	into(c.expect(http.StatusOK, "GET", "mail/job/"+id, nil, nil), &seen)
	check(seen.ID == id, "peek by id: %+v", seen)
	got := c.consume("mail", consuming(60, 0, 1))
	check(len(got) == 1 && got[0].ID == id && string(got[0].Data) == "hello\x00\xff" && got[0].RemainTries == 1, "consume: %+v", got)
	check(got[0].TTL > 0 && got[0].TTL <= 60 && len(got[0].Attributes) == 1 && got[0].Attributes["flag"] == "1", "consume: %+v", got)
	c.expect(http.StatusNoContent, "DELETE", "mail/job/"+id, nil, nil)
	c.expect(http.StatusNoContent, "DELETE", "mail/job/"+id, nil, nil)
	c.expect(http.StatusNotFound, "GET", "mail/job/"+id, nil, nil)
	check(c.consume("mail", consuming(60, 0, 1)) == nil, "an empty queue")
	c.expect(http.StatusNotFound, "GET", "mail/peek", nil, nil)
}

func manyJobs(c *client) {
	elements := []string{`{"a":1}`, `12345678901234567890`, `"text"`, `null`}
	var made struct {
		IDs []string `json:"job_ids"`
	}
	body := []byte("[" + strings.Join(elements, ",") + "]")
	into(c.expect(http.StatusCreated, "PUT", "bulk/bulk", terms(60, 1, 0), body), &made)
	check(len(made.IDs) == len(elements), "bulk: %v", made.IDs)
	all := c.consume("bulk", consuming(60, 0, 3))
	check(len(all) == 3, "a batch of three: %d", len(all))
	all = append(all, c.consume("bulk", consuming(60, 0, 3))...)
	check(len(all) == len(elements), "what is left: %d", len(all))
	for i, one := range all {
		check(one.ID == made.IDs[i] && string(one.Data) == elements[i], "element %d: %+v", i, one)
	}
	c.expect(http.StatusBadRequest, "PUT", "bulk/bulk", terms(60, 1, 0), []byte(`{}`))
	c.expect(http.StatusBadRequest, "GET", "bulk", consuming(60, 0, 101), nil)
}

func largeAndEmpty(c *client) {
	large := bytes.Repeat([]byte{'x'}, 1<<20)
	c.publish("large", large, terms(60, 1, 0), nil)
	c.expect(http.StatusRequestEntityTooLarge, "PUT", "large", terms(60, 1, 0), append(large, 'x'))
	// Without data there is Content-Length: 0, or none.
	c.publish("large", nil, terms(60, 1, 0), nil)
	c.publish("large", []byte{}, terms(60, 1, 0), nil)
	// A batch may be smaller where jobs are large.
	got := c.consume("large", consuming(60, 0, 5))
	for len(got) < 3 {
		more := c.consume("large", consuming(60, 0, 5))
		check(len(more) > 0, "large and empty ones: %d of 3", len(got))
		got = append(got, more...)
	}
	check(len(got) == 3 && bytes.Equal(got[0].Data, large) && len(got[1].Data) == 0 && len(got[2].Data) == 0, "large and empty ones")
}

func republish(c *client) {
	old := c.publish("again", []byte("1"), terms(60, 1, 0), nil)
	status, answer, _ := c.ask("PUT", "again/job/"+old, terms(10, 1, 0), []byte("2"), nil)
	check(status == http.StatusCreated, "republish: %d %s", status, answer)
	got := c.consume("again", consuming(60, 0, 2))
	check(len(got) == 1 && got[0].ID != old && string(got[0].Data) == "2", "republish: %+v", got)
}

func deadLetters(c *client) {
	id := c.publish("dead", []byte("d"), terms(600, 1, 0), nil)
	check(len(c.consume("dead", consuming(1, 0, 1))) == 1, "one that will die")
	for until := time.Now().Add(time.Minute); c.size("dead/deadletter/size") == 0; time.Sleep(20 * time.Millisecond) {
		check(time.Now().Before(until), "it does not die")
	}
	var there struct {
		Size int64  `json:"deadletter_size"`
		Head string `json:"deadletter_head"`
	}
	into(c.expect(http.StatusOK, "GET", "dead/deadletter", nil, nil), &there)
	check(there.Size == 1 && there.Head == id, "dead letters: %+v", there)
	var back struct {
		Count int `json:"count"`
	}
	into(c.expect(http.StatusOK, "PUT", "dead/deadletter", url.Values{"limit": {"2"}, "ttl": {"600"}}, nil), &back)
	check(back.Count == 1, "respawn: %d", back.Count)
	got := c.consume("dead", consuming(1, 0, 1))
	check(len(got) == 1 && got[0].ID == id, "respawned: %+v", got)
	for until := time.Now().Add(time.Minute); c.size("dead/deadletter/size") == 0; time.Sleep(20 * time.Millisecond) {
		check(time.Now().Before(until), "it does not die again")
	}
	c.expect(http.StatusNoContent, "DELETE", "dead/deadletter", url.Values{"limit": {"100"}}, nil)
	check(c.size("dead/deadletter/size") == 0, "deleted dead letters")
}

// Who waits has it as soon as it is published, from whichever of his queues.
func waiting(c *client) {
	got := make(chan []job)
	go func() { got <- c.consume("first,second", consuming(60, 60, 1)) }()
	c.publish("second", []byte("w"), terms(60, 1, 0), nil)
	jobs := <-got
	check(len(jobs) == 1 && jobs[0].Queue == "second", "who waits: %+v", jobs)
	check(c.consume("first", consuming(60, 1, 1)) == nil, "who waits in vain")
}

// Each job is one consumer's.
func together(c *client) {
	const jobs, consumers = 200, 8
	var all sync.WaitGroup
	var mutex sync.Mutex
	times := map[string]int{}
	for n := 0; n < consumers; n++ {
		all.Add(2)
		go func(n int) {
			defer all.Done()
			for i := n; i < jobs; i += consumers {
				c.publish("shared", []byte(strconv.Itoa(i)), terms(600, 3, 0), nil)
			}
		}(n)
		go func() {
			defer all.Done()
			for {
				mutex.Lock()
				over := len(times) == jobs
				mutex.Unlock()
				if over {
					return
				}
				for _, one := range c.consume("shared", consuming(600, 1, 10)) {
					mutex.Lock()
					times[string(one.Data)]++
					mutex.Unlock()
					c.expect(http.StatusNoContent, "DELETE", "shared/job/"+one.ID, nil, nil)
				}
			}
		}()
	}
	all.Wait()
	for data, n := range times {
		check(n == 1, "job %s was given out %d times", data, n)
	}
}

func refusals(c *client) {
	for _, path := range []string{"_q", "a.b", strings.Repeat("q", 256)} {
		c.expect(http.StatusBadRequest, "GET", path, consuming(60, 0, 1), nil)
	}
	c.expect(http.StatusBadRequest, "PUT", "q", terms(1, 1, 2), []byte("x"))
	c.expect(http.StatusBadRequest, "PUT", "q", terms(60, 0, 0), []byte("x"))
	c.expect(http.StatusNotFound, "GET", "q/nothing/here", nil, nil)
}

func main() {
	check(len(os.Args) == 2, "usage: lmstfy ERRAND")
	api, admin := serve(os.Args[1])
	made, err := http.PostForm(admin+"/token/shop", url.Values{"description": {"go"}, "token": {token}})
	check(err == nil && made.StatusCode == http.StatusCreated, "a token: %v", err)
	c := newClient(api)
	for _, shape := range []func(*client){oneJob, manyJobs, republish, deadLetters, refusals} {
		shape(c)
	}
	// Refusals and answers without a body have left it as it was.
	check(c.connections == 1, "%d connections instead of one", c.connections)
	for _, shape := range []func(*client){largeAndEmpty, waiting, together} {
		shape(c)
	}
	served.Process.Signal(syscall.SIGTERM)
	ended := served.Wait()
	served = nil
	check(ended == nil, "the service ends badly: %v", ended)
	fmt.Println("lmstfy's shapes by Go's net/http: all answered")
}
