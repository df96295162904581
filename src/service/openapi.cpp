#include "service/openapi.hpp"

#include "service/answer_shapes.hpp"
#include "service/calls.hpp"
#include "service/flow/routes.hpp"
#include "service/route.hpp"
#include "service/target.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>

namespace errand::web {

namespace json = boost::json;

namespace {

json::object reference_to(std::string_view schema) {
    return {{"$ref", "#/components/schemas/" + std::string{schema}}};
}

json::object schema_of(const field& one) {
    switch (one.type) {
    case kind::text: return {{"type", "string"}};
    case kind::integer: return {{"type", "integer"}, {"format", "int64"}};
    case kind::boolean: return {{"type", "boolean"}};
    case kind::instant: return {{"type", "string"}, {"format", "date-time"}};
    case kind::array: return {{"type", "array"}, {"items", json::object{}}};
    case kind::texts: return {{"type", "array"}, {"items", json::object{{"type", "string"}}}};
    case kind::text_map:
        return {{"type", "object"}, {"additionalProperties", json::object{{"type", "string"}}}};
    case kind::number: return {{"type", "number"}};
    case kind::any: return {};
    case kind::object: return {{"type", "object"}};
    case kind::objects: return {{"type", "array"}, {"items", json::object{{"type", "object"}}}};
    case kind::weights:
        return {{"type", "object"}, {"additionalProperties", json::object{{"type", "integer"}}}};
    case kind::submission: return {{"type", "array"}, {"items", reference_to("submit_task")}};
    case kind::planned: return {{"type", "array"}, {"items", reference_to("planned_task")}};
    }
    return {};
}

json::object parameter(const field& one, std::string_view in) {
    return {{"name", one.name},
            {"in", in},
            {"required", one.required || in == "path"},
            {"description", one.meaning},
            {"schema", schema_of(one)}};
}

std::string_view meaning_of_part(std::string_view name) {
    if (name == "namespace") return "The namespace that this service serves";
    if (name == "type") return "The type";
    if (name == "queue") return "The queue";
    if (name == "schedule") return "The schedule's id";
    if (name == "limit") return "The limit's name";
    if (name == "handler") return "The wire name of the handler";
    if (name == "run") return "The run's id";
    if (name == "token") return "A token's name or id";
    return "The task's id";
}

// {namespace} and {id} of a path.
json::array path_parameters(std::string_view path) {
    json::array all;
    for (auto part : parts_of(path)) {
        if (!part.starts_with('{')) continue;
        const auto name = part.substr(1, part.find('}') - 1);
        all.push_back(parameter({name, kind::text, meaning_of_part(name)}, "path"));
    }
    return all;
}

json::object body_schema(fields of) {
    json::object properties;
    json::array required;
    for (const auto& one : of) {
        auto schema = schema_of(one);
        schema["description"] = one.meaning;
        properties[one.name] = std::move(schema);
        if (one.required) required.push_back(json::value{one.name});
    }
    json::object schema{
        {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}

json::object error_schema() {
    const json::object text{{"type", "string"}};
    return {{"type", "object"},
            {"properties",
             json::object{
                 {"error", json::object{{"type", "object"},
                                        {"required", json::array{"code", "message"}},
                                        {"properties", json::object{{"code", text},
                                                                    {"message", text},
                                                                    {"path", text},
                                                                    {"retry_after_ms",
                                                                     json::object{{"type", "integer"}}}}}}}}},
            {"required", json::array{"error"}}};
}

json::object content(json::object schema, std::string_view type = "application/json") {
    return {{type, json::object{{"schema", std::move(schema)}}}};
}

// Errors are of one kind, whatever the call answers else.
json::object content_of(const route& of, const outcome& answer) {
    if (answer.status >= 400) return content(reference_to("error"));
    if (of.type == "application/json") {
        const auto shape = shape_of_answer(of.name);
        return content(shape.is_object() ? shape.get_object() : json::object{});
    }
    return content({{"type", "string"}}, of.type);
}

// Where the service has tokens; where it has none, nobody is asked for one.
json::array security(const route& of) {
    if (of.needs == scope::open) return {};
    return {json::object{{"token", json::array{}}}, json::object{}};
}

json::object operation(const route& of) {
    auto parameters = path_parameters(of.path);
    for (const auto& one : of.query) parameters.push_back(parameter(one, "query"));
    for (const auto& one : of.headers) parameters.push_back(parameter(one, "header"));
    json::object responses;
    for (const auto& one : of.answers) {
        responses[std::to_string(one.status)] =
            json::object{{"description", one.meaning}, {"content", content_of(of, one)}};
    }
    json::object all{{"operationId", of.name},
                     {"summary", of.meaning},
                     {"x-scope", to_string(of.needs)},
                     {"security", security(of)},
                     {"parameters", std::move(parameters)},
                     {"responses", std::move(responses)}};
    if (!of.body.empty()) {
        all["requestBody"] = json::object{{"required", true}, {"content", content(reference_to(of.name))}};
    }
    return all;
}

std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

// --- Markdown ---

std::string_view name_of(kind type) {
    switch (type) {
    case kind::text: return "string";
    case kind::integer: return "integer";
    case kind::boolean: return "boolean";
    case kind::instant: return "time";
    case kind::array: return "array";
    case kind::texts: return "array of strings";
    case kind::text_map: return "object of strings";
    case kind::number: return "number";
    case kind::any: return "any";
    case kind::object: return "object";
    case kind::weights: return "object of integers";
    case kind::objects:
    case kind::submission:
    case kind::planned: return "array of objects";
    }
    return "";
}

void add_fields(std::string& to, std::string_view title, fields all) {
    if (all.empty()) return;
    to += "\n| " + std::string{title} + " | | meaning |\n| --- | --- | --- |\n";
    for (const auto& one : all) {
        to += "| `" + std::string{one.name} + "` | " + std::string{name_of(one.type)} +
              (one.required ? ", needed" : "") + " | " + std::string{one.meaning} + " |\n";
    }
}

void add_route(std::string& to, const route& one) {
    to += "\n### `" + std::string{one.method} + ' ' + std::string{one.path} + "`\n\n" +
          std::string{one.meaning} + "." +
          (one.needs == scope::open ? "" : " Scope `" + std::string{to_string(one.needs)} + "`.") + '\n';
    add_fields(to, "query", one.query);
    add_fields(to, "header", one.headers);
    add_fields(to, "body", one.body);
    if (!one.example.empty()) to += "\n```json\n" + std::string{one.example} + "\n```\n";
    to += "\n| answer | |\n| --- | --- |\n";
    for (const auto& answer : one.answers)
        to += "| " + std::to_string(answer.status) + " | " + std::string{answer.meaning} + " |\n";
}

}  // namespace

json::object openapi_document() {
    json::object paths;
    auto schemas = shared_shapes();
    schemas["error"] = error_schema();
    schemas["planned_task"] = body_schema(planned_fields());
    const auto add = [&](const route& one) {
        auto& path = paths[one.path];
        if (!path.is_object()) path = json::object{};
        path.get_object()[lower(one.method)] = operation(one);
        if (one.body.empty()) return;
        auto schema = body_schema(one.body);
        if (!one.example.empty()) schema["examples"] = json::array{json::parse(one.example)};
        schemas[one.name] = std::move(schema);
    };
    std::ranges::for_each(routes(), add);
    std::ranges::for_each(flow::routes(), add);
    return {{"openapi", "3.1.0"},
            {"info", json::object{{"title", "errand"},
                                  {"description", "The tasks of a namespace. docs/http.md says more."},
                                  {"version", "1"}}},
            {"paths", std::move(paths)},
            {"components",
             json::object{{"schemas", std::move(schemas)},
                          {"securitySchemes",
                           json::object{{"token", json::object{{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

std::string reference_text(std::span<const route> of) {
    std::string text;
    for (const auto& one : of) add_route(text, one);
    return text;
}

}  // namespace errand::web
