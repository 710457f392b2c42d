using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Loxo.IntegrationTests.Types;

/// <summary>
/// The process of <see cref="NativeTests"/>: as in a native program, no code is made at run time, and System.Text.Json uses no reflection.
/// It prints a line for each use of a type.
/// </summary>
internal static class NativeProgram
{
    /// <summary>The first argument, in front of the connection string and the wait mode.</summary>
    public const string Name = "native";

    private const string Object = """'{"a":1}'::json""";

    public static async Task<int> Run(string settings, WaitMode mode)
    {
        Console.WriteLine($"reflection: {JsonSerializer.IsReflectionEnabledByDefault}, code: {RuntimeFeature.IsDynamicCodeSupported}");
        await using var plain = PgDataSource.Create(settings);
        await using var connection = plain.CreateConnection();
        await mode.Open(connection);
        var uses = new Uses(connection, mode);
        await uses.Read<JsonDocument>(Object, static document => document.RootElement.GetRawText());
        await uses.Read<JsonElement>(Object, static element => element.GetRawText());
        await uses.Read<JsonNode>(Object, static node => node.ToJsonString());
        await uses.Read<JsonObject>(Object, static node => node.ToJsonString());
        await uses.Read<JsonElement[]>($"ARRAY[{Object}]", static elements => elements[0].GetRawText());
        await uses.Read<JsonNode[]>($"ARRAY[{Object}]", static nodes => nodes[0].ToJsonString());
        using var document = JsonDocument.Parse("""{"a":2}""");
        await uses.Write(document, PgDbType.Json);
        await uses.Write(document.RootElement, PgDbType.Json);
        await uses.Write(JsonNode.Parse("""{"a":2}""")!, PgDbType.Json);
        await uses.Write(new JsonObject { ["b"] = JsonValue.Create(new Own(3), OwnContext.Default.Own) }, PgDbType.Json);
        await uses.Write(new JsonArray(1, "x"), PgDbType.Jsonb);
        await uses.Read<Own>(Object, static own => $"{own}");
        await uses.Write(new Own(3), PgDbType.Json);
        await UseTypesOfTheDatabase(connection, uses);

        var builder = new PgDataSourceBuilder(settings);
        builder.ConfigureJsonOptions(new JsonSerializerOptions { WriteIndented = true, IndentSize = 1, NewLine = "\n" });
        await using var indented = builder.Build();
        await Write(indented, mode, document);
        builder.ConfigureJsonOptions(new JsonSerializerOptions { TypeInfoResolver = OwnContext.Default });
        await using var known = builder.Build();
        await Write(known, mode, new Own(3));
        return 0;
    }

    private static async Task UseTypesOfTheDatabase(PgConnection connection, Uses uses)
    {
        await new PgCommand("CREATE TYPE pg_temp.mood AS ENUM ('sad'); CREATE TYPE pg_temp.pair AS (a int)", connection).ExecuteNonQueryAsync();
        await uses.Read<Mood>("'sad'::mood", static mood => $"{mood}");
        await uses.Read<Mood?>("'sad'::mood", static mood => $"{mood}");
        await uses.Read<Mood[]>("ARRAY['sad'::mood]", static moods => $"{moods[0]}");
        await uses.Write(Mood.Sad, "mood");
        await uses.Write(Mood.Sad, null);
        await uses.Read<Trimmed>("ROW(1)::pair", static _ => "read");
        await uses.Read<Own[]>("ARRAY[ROW(1)::pair]", static _ => "read");
    }

    private static async Task Write<T>(PgDataSource source, WaitMode mode, T value)
        where T : notnull
    {
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        await new Uses(connection, mode).Write(value, PgDbType.Json);
    }

    private sealed class Uses(PgConnection connection, WaitMode mode)
    {
        public Task Read<T>(string value, Func<T, string> show) => Line($"read {Shown(typeof(T))}", async () =>
        {
            await using var command = new PgCommand("SELECT " + value, connection);
            await using var reader = await mode.ExecuteReader(command);
            await mode.Read(reader);
            return show(reader.GetFieldValue<T>(0));
        });

        public Task Write<T>(T value, PgDbType type)
            where T : notnull => Write(value, new PgParameter<T>(null, type) { TypedValue = value });

        public Task Write<T>(T value, string? type)
            where T : notnull => Write(value, new PgParameter { Value = value, DataTypeName = type });

        private Task Write<T>(T value, PgParameter parameter)
            where T : notnull => Line($"write {Shown(value.GetType())}", async () =>
        {
            await using var command = new PgCommand("SELECT $1::text", connection) { Parameters = { parameter } };
            return (string)(await mode.ExecuteScalar(command))!;
        });

        private static string Shown(Type type) => Nullable.GetUnderlyingType(type) is { } underlying ? underlying.Name + "?" : type.Name;

        private static async Task Line(string use, Func<Task<string>> run)
        {
            string result;
            try
            {
                result = await run();
            }
            catch (Exception e)
            {
                result = $"{e.GetType().Name} {e.Message}";
            }
            Console.WriteLine($"{use}: {result.Replace('\n', '/')}");
        }
    }
}

internal enum Mood
{
    Sad,
}

internal sealed record Own([property: JsonPropertyName("a")] int A);

/// <summary>What a class looks like whose members trimming has removed.</summary>
internal sealed class Trimmed;

[JsonSerializable(typeof(Own))]
internal sealed partial class OwnContext : JsonSerializerContext;
