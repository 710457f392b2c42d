using System.Text.Json;
using System.Text.Json.Serialization;
using Loxo.Types;

namespace Loxo.Tests.Types;

internal sealed record Point3(int X, int Y, string? Name = null);

[JsonPolymorphic(TypeDiscriminatorPropertyName = "kind")]
[JsonDerivedType(typeof(Circle), "circle")]
[JsonDerivedType(typeof(Square), "square")]
internal abstract record Shape;

internal sealed record Circle(double R) : Shape;

internal sealed record Square(double A) : Shape;

internal sealed class Loop
{
    public Loop Self => this;
}

[JsonSerializable(typeof(Point3))]
[JsonSerializable(typeof(Point3[]))]
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
internal sealed partial class SampleContext : JsonSerializerContext;

/// <summary>json and jsonb as a data source with other settings has them.</summary>
internal static class JsonSamples
{
    public static TypeEntry Type(string name, JsonSerializerOptions options) =>
        BuiltInTypes.Create(new TypeSettings { Json = options }).First(type => type.Name == name);

    /// <summary>Bytes as they are sent: jsonb with its version.</summary>
    public static string Hex(string type, string json) => (type == "jsonb" ? "01" : "") + Convert.ToHexStringLower(System.Text.Encoding.UTF8.GetBytes(json));
}
