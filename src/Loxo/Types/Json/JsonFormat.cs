using System.Net;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;

namespace Loxo.Types;

/// <summary>The way between the bytes of json, jsonb or arrays of them and JSON text, and the options for that.</summary>
internal abstract class JsonFormat(string type)
{
    // Where a writer that is not in use points to, so that it keeps no session's buffer alive.
    private static readonly ArrayBufferWriter<byte> Nowhere = new(1);

    private Tuple<Utf8JsonWriter, JsonSerializerOptions>? _spare;

    public string Type => type;

    /// <summary>Ready for use: read-only, with a resolver.</summary>
    public abstract JsonSerializerOptions Options { get; }

    /// <summary>How nodes are written; null where a value within a node has to go by the metadata that it was made with.</summary>
    public virtual JsonSerializerOptions? WriteOptions => Options;

    /// <summary>How a document that is no object of the user's is parsed.</summary>
    public JsonDocumentOptions DocumentOptions => new()
    {
        MaxDepth = Options.MaxDepth,
        AllowDuplicateProperties = Options.AllowDuplicateProperties,
    };

    public JsonNodeOptions NodeOptions => new() { PropertyNameCaseInsensitive = Options.PropertyNameCaseInsensitive };

    public abstract ReadOnlySpan<byte> Open(ReadOnlySpan<byte> value);

    /// <summary>Writes a value: <paramref name="write"/> writes its JSON text.</summary>
    public void Write<T>(MessageWriter writer, T value, Action<Utf8JsonWriter, T> write) =>
        Write(writer, value, Options, write, static (json, value, write) => write(json, value));

    public void WriteText(MessageWriter writer, ReadOnlySpan<byte> json)
    {
        var text = Begin(writer);
        text.WriteBytes(json);
        End(writer, text);
    }

    public void Write<T>(MessageWriter writer, T value, JsonTypeInfo<T> typeInfo) =>
        Write(writer, value, typeInfo.Options, typeInfo, static (json, value, typeInfo) => JsonSerializer.Serialize(json, value, typeInfo));

    public void WriteObject(MessageWriter writer, object value, JsonTypeInfo typeInfo) =>
        Write(writer, value, typeInfo.Options, typeInfo, static (json, value, typeInfo) => JsonSerializer.Serialize(json, value, typeInfo));

    /// <exception cref="InvalidCastException">There is none: reflection is off, and no context has the type.</exception>
    public JsonTypeInfo TypeInfoOf(Type clrType) => Options.TryGetTypeInfo(clrType, out var found) && !IsMistaken(found)
        ? found
        : throw TypeErrors.NoForm(
            $"A value of PostgreSQL type {type}",
            $"{ClrNames.Of(clrType)}, of which System.Text.Json has no {(found is null ? "metadata" : "converter")}",
            found is null
                ? $"Add [JsonSerializable(typeof({ClrNames.Of(clrType)}))] to a JsonSerializerContext "
                    + "and give its options to the data source, or pass a JsonTypeInfo"
                : "Add one to the JsonSerializerOptions of the data source");

    /// <summary>Whether the JSON or the type is at fault: custom and built-in converters throw exceptions of all these types.</summary>
    public static bool IsRefusal(Exception e) => e is JsonException or NotSupportedException or FormatException or ArgumentException;

    /// <summary>What ADO.NET demands of GetFieldValue where a value cannot become the type that was asked for.</summary>
    public InvalidCastException CannotRead(Type clrType, Exception cause) =>
        new($"A value of PostgreSQL type {type} is not the JSON of {ClrNames.Of(clrType)}: {cause.Message}", cause);

    /// <summary>Starts a value; returns where its JSON text goes.</summary>
    private protected abstract MessageWriter Begin(MessageWriter writer);

    /// <summary>Ends a value whose JSON text has been written to what <see cref="Begin"/> returned.</summary>
    private protected abstract void End(MessageWriter writer, MessageWriter json);

    // Without a converter, System.Text.Json takes these for objects whose properties cannot be set: any JSON object would be read as 0.
    private static bool IsMistaken(JsonTypeInfo found) =>
        found.Kind == JsonTypeInfoKind.Object
        && (found.Type == typeof(BigInteger) || found.Type == typeof(Complex) || found.Type == typeof(IPNetwork));

    private void Write<T, TState>(
        MessageWriter writer, T value, JsonSerializerOptions options, TState state, Action<Utf8JsonWriter, T, TState> write)
    {
        var text = Begin(writer);
        var rented = Rent(text, options);
        try
        {
            write(rented.Item1, value, state);
            rented.Item1.Flush();
        }
        catch (Exception e) when (e is JsonException or NotSupportedException)
        {
            throw new PgException($"A {ClrNames.Of(value?.GetType() ?? typeof(T))} cannot become {type}: {e.Message}",
                PgErrorCode.ParameterInvalid, e);
        }
        finally
        {
            rented.Item1.Reset(Nowhere);
            _spare = rented;
        }
        End(writer, text);
    }

    // One is kept; a second thread, or a converter that runs a command of its own, makes another.
    private Tuple<Utf8JsonWriter, JsonSerializerOptions> Rent(MessageWriter output, JsonSerializerOptions options)
    {
        var spare = Interlocked.Exchange(ref _spare, null);
        if (spare is null || spare.Item2 != options)
            return new(new Utf8JsonWriter(output, WriterOptions(options)), options);
        spare.Item1.Reset(output);
        return spare;
    }

    private static JsonWriterOptions WriterOptions(JsonSerializerOptions options) => new()
    {
        Encoder = options.Encoder,
        Indented = options.WriteIndented,
        IndentCharacter = options.IndentCharacter,
        IndentSize = options.IndentSize,
        NewLine = options.NewLine,
        MaxDepth = options.MaxDepth,
        SkipValidation = true,
    };
}

internal sealed class JsonScalarFormat(string type, bool isVersioned, JsonSerializerOptions? settings) : JsonFormat(type)
{
    private JsonSerializerOptions? _options;

    public override JsonSerializerOptions Options => _options ??= Prepare(settings, isVersioned);

    public override JsonSerializerOptions? WriteOptions =>
        settings is null && !JsonSerializer.IsReflectionEnabledByDefault ? null : Options;

    public override ReadOnlySpan<byte> Open(ReadOnlySpan<byte> value) => isVersioned ? VersionedText.Open(value, Type) : value;

    private protected override MessageWriter Begin(MessageWriter writer)
    {
        if (isVersioned)
            VersionedText.Begin(writer);
        return writer;
    }

    private protected override void End(MessageWriter writer, MessageWriter json)
    {
    }

    // jsonb sorts the properties of an object (lengthCompareJsonbPair, jsonb_util.c), so a discriminator is not found where it was written.
    [UnconditionalSuppressMessage("Trimming", "IL2026",
        Justification = "Reflection is a feature switch of System.Text.Json that trimming turns off.")]
    [UnconditionalSuppressMessage("AOT", "IL3050",
        Justification = "Reflection is a feature switch of System.Text.Json that native compilation turns off.")]
    private static JsonSerializerOptions Prepare(JsonSerializerOptions? settings, bool isReordered)
    {
        var options = settings ?? JsonSerializerOptions.Default;
        // Documents and nodes need no metadata, and for other types the error says what to do: a resolver that knows no type will do.
        if (options.TypeInfoResolver is null && !JsonSerializer.IsReflectionEnabledByDefault)
            options = new JsonSerializerOptions(options) { TypeInfoResolver = JsonTypeInfoResolver.Combine() };
        if (isReordered && !options.AllowOutOfOrderMetadataProperties)
            options = new JsonSerializerOptions(options) { AllowOutOfOrderMetadataProperties = true };
        options.MakeReadOnly(populateMissingResolver: JsonSerializer.IsReflectionEnabledByDefault);
        return options;
    }
}
