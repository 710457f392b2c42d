using System.Text.Json.Serialization.Metadata;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Parameters;

/// <summary>The parameter that <see cref="PgParameter.Json"/> makes; with another type or value set later, one like any other.</summary>
internal sealed class JsonParameter<T>(JsonTypeInfo<T> typeInfo) : PgParameter
{
    private TypeEntry? _type;
    private Codec? _codec;

    internal override void Bind(int ordinal, SessionTypes types)
    {
        if (Value is not T || DeclaredType is not { Factory: JsonCodecFactory { IsOfArrays: false } json } declared)
        {
            base.Bind(ordinal, types);
            return;
        }
        if (_type != declared)
            (_type, _codec) = (declared, json.With(typeInfo));
        _binding.Set(declared, _codec!);
    }
}
